'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { showCount } from '../../format/numbers';
import { pageOf, withQuery } from '../../shell/paths';
import { useScope } from '../../shell/scope';
import { ignoredBy } from './ignored-filters';
import { onlyFilters } from './list-inputs';
import { asQuery, type Span } from './range';
import { keptOf } from './refused-span';
import type { FilterName } from './state';
import type { Usage } from './use-usage';

/** Filters that the report of refused requests has too. */
const KNOWN = [
  'teamId',
  'apiKeyId',
  'modelId',
  'providerId',
] as const satisfies readonly FilterName[];

interface OfCode {
  readonly code: string;
  readonly count: number;
}

const TITLE = 'Refused and failed, by code';
const KEPT = `Refused requests are kept for at most ${String(rest.REFUSED_DAYS)} days.`;

/**
 * Requests of the period that got an error, by its code. Refused ones cost nothing and are not booked, so the other parts of
 * the page do not have them.
 */
export function RefusedCard({ usage }: { usage: Usage }) {
  const { span } = usage.state;
  const [nowMs] = useState(() => Date.now());
  const kept = keptOf(span, nowMs);
  if (kept === undefined) {
    return (
      <Card title={TITLE} flush>
        <p className="px-4 py-3 text-ink-soft">
          {span.startMs < nowMs ? `${KEPT} This period is older.` : 'This period has not begun.'}
        </p>
      </Card>
    );
  }
  return <KeptRequests usage={usage} kept={kept} />;
}

function KeptRequests({ usage, kept }: { usage: Usage; kept: Span }) {
  const scope = useScope();
  const { organisation } = scope;
  const { filters } = usage.state;
  const query = { ...asQuery(kept), ...onlyFilters(filters, KNOWN) };
  const ofOne = useRead(
    rest.listRefusedRequests,
    { params: { organisationId: organisation?.id ?? '' }, query: { ...query, limit: 1 } },
    { enabled: organisation !== null, keep: true },
  );
  const ofAll = useRead(
    rest.listPlatformRefusedRequests,
    { query: { ...query, limit: 1 } },
    { enabled: organisation === null, keep: true },
  );
  const { data, error, refetch } = organisation === null ? ofAll : ofOne;
  const ignored = ignoredBy(KNOWN, filters);
  const columns: readonly Column<OfCode>[] = [
    {
      title: 'Error code',
      cell: ({ code }) => (
        <Link
          href={withQuery(pageOf(scope, 'refusals'), { ...query, code })}
          className="font-mono text-sm break-words text-accent underline-offset-4 hover:underline"
        >
          {code}
        </Link>
      ),
    },
    { title: 'Requests', align: 'right', cell: ({ count }) => showCount(count) },
  ];
  return (
    <Card
      title={TITLE}
      hint={data === undefined ? undefined : `${showCount(data.total)} in total. ${KEPT}`}
      flush
    >
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && (
        <SkeletonRows rows={2} label="Loading refused requests" />
      )}
      {ignored.length > 0 && (
        <p className="px-4 py-3 text-ink-soft">
          This part ignores the filters by {ignored.join(' and ')}.
        </p>
      )}
      {error === null && data?.codes.length === 0 && (
        <p className="px-4 py-3 text-ink-soft">No request was refused or failed in this period.</p>
      )}
      {error === null && data !== undefined && data.codes.length > 0 && (
        <Table
          caption="Refused and failed requests by code"
          columns={columns}
          rows={data.codes}
          keyOf={({ code }) => code}
        />
      )}
    </Card>
  );
}
