'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { showCost } from '../../format/money';
import { showCount } from '../../format/numbers';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';

/** A name that comes to an end, with one of the keys that still use it. */
interface Row {
  readonly of: rest.RetiringName;
  readonly use: rest.RetirementUse | undefined;
}

/** Who still uses models and aliases that come to an end. */
export function StillUsed() {
  const { id: organisationId } = useOrganisation();
  const [cursor, setCursor] = useState<string>();
  const { data, error } = useRead(rest.listRetirements, {
    params: { organisationId },
    query: cursor === undefined ? {} : { cursor },
  });
  const columns = useColumns();
  const rows = data?.data.flatMap((of): Row[] =>
    of.uses.length === 0 ? [{ of, use: undefined }] : of.uses.map((use) => ({ of, use })),
  );
  return (
    <Card
      title="Who still uses what"
      hint="Models and aliases with an announced end, and the keys that used them in the last 30 days"
      flush
    >
      {error && (
        <div className="p-4">
          <Failure error={error} />
        </div>
      )}
      {rows?.length === 0 && <p className="p-4 text-ink-soft">No end is announced.</p>}
      {rows !== undefined && rows.length > 0 && (
        <Table
          caption="Who still uses what"
          columns={columns}
          rows={rows}
          keyOf={({ of, use }) => `${of.id} ${use?.apiKeyId ?? ''}`}
        />
      )}
      {(cursor !== undefined || typeof data?.nextCursor === 'string') && (
        <div className="flex gap-2 border-t p-3">
          {cursor !== undefined && (
            <Button size="small" onClick={() => setCursor(undefined)}>
              First page
            </Button>
          )}
          {typeof data?.nextCursor === 'string' && (
            <Button size="small" onClick={() => setCursor(data.nextCursor ?? undefined)}>
              Next page
            </Button>
          )}
        </div>
      )}
    </Card>
  );
}

function useColumns(): readonly Column<Row>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return [
    {
      title: 'Name',
      cell: ({ of: { kind, name, moreUses } }) => (
        <>
          <span className="break-words">{name}</span>{' '}
          <Badge>{kind === 'ALIAS' ? 'alias' : 'model'}</Badge>
          {moreUses && <Badge tone="warn">at least</Badge>}
        </>
      ),
    },
    {
      title: 'Sunset',
      cell: ({ of: { retirement } }) => (
        <When instant={retirement.sunsetAt} timeZone={timeZone} never="not set" />
      ),
    },
    { title: 'Use instead', from: 'lg', cell: ({ of }) => of.replacement ?? '' },
    {
      title: 'Key',
      cell: ({ use }) =>
        use === undefined ? (
          <span className="text-ink-faint">no key</span>
        ) : (
          <Link
            href={pageOf(scope, `apikeys/${use.apiKeyId}`)}
            className="break-words text-accent underline-offset-4 hover:underline"
          >
            {use.apiKeyName}
          </Link>
        ),
    },
    { title: 'Team', from: 'md', cell: ({ use }) => use?.teamName ?? '' },
    {
      title: 'Requests, 7 days',
      from: 'md',
      align: 'right',
      cell: ({ use }) => showCount(use?.requests7 ?? 0),
    },
    {
      title: 'Requests, 30 days',
      align: 'right',
      cell: ({ use }) => showCount(use?.requests30 ?? 0),
    },
    {
      title: 'Cost, 30 days',
      from: 'sm',
      align: 'right',
      cell: ({ use }) => showCost(use?.costUsd30 ?? '0'),
    },
    { title: 'Last used', from: 'sm', align: 'right', cell: ({ use }) => use?.lastUsedOn ?? '' },
  ];
}
