'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { useRead } from '../../api/provider';
import type { Column } from '../../design/table';
import { When } from '../../design/when';
import { TableCard } from '../../resource/table-card';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { LimitLink } from './limit-link';
import { fillWords, passWords } from './limit-words';
import { PASSES_SHOWN, passesQuery, type PassesOf } from './passes-query';

const REFRESH_MS = 15_000;

interface SoftLimitPassesProps {
  readonly of?: PassesOf;
  /** What the list covers, for its empty state: "a soft budget". */
  readonly noun?: string;
}

/** The soft limits that requests were let through beyond, newest first. */
export function SoftLimitPasses({ of = {}, noun = 'a soft limit' }: SoftLimitPassesProps) {
  const { id: organisationId, timeZone } = useOrganisation();
  const mayRead = useMay('budgets.read');
  const read = useRead(
    rest.listSoftLimitPasses,
    { params: { organisationId }, query: passesQuery(of) },
    { refreshMs: REFRESH_MS, enabled: mayRead },
  );
  const columns = useMemo(() => columnsIn(timeZone), [timeZone]);
  if (!mayRead) return null;
  const more = read.data !== undefined && read.data.nextCursor !== null;
  return (
    <TableCard
      title="Soft limits passed"
      hint={more ? `the ${String(PASSES_SHOWN)} newest` : 'once per limit and window'}
      read={read}
      loading="Loading passed soft limits"
      caption="Soft limits passed"
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <p className="p-4 text-ink-soft">
          No request has passed {noun} yet. When one does, it is served and listed here.
        </p>
      }
    />
  );
}

function columnsIn(timeZone: string): readonly Column<rest.SoftLimitPass>[] {
  return [
    {
      title: 'Limit',
      cell: (pass) => (
        <>
          <LimitLink limit={pass}>{passWords(pass)}</LimitLink>
          {/* A phone has no column for the amount. */}
          <span className="block text-sm font-normal text-ink-faint sm:hidden">
            {fillWords(pass)}
          </span>
        </>
      ),
    },
    {
      title: 'Applies to',
      cell: (pass) => (
        <>
          <ScopeName scope={pass.scope} />
          <PassedValue pass={pass} />
        </>
      ),
    },
    { title: 'Used at that time', from: 'sm', cell: fillWords },
    {
      title: 'Window ends',
      align: 'right',
      from: 'md',
      cell: ({ windowEnd }) => <When instant={windowEnd} timeZone={timeZone} format="minute" />,
    },
    {
      title: 'Passed at',
      align: 'right',
      cell: ({ at }) => <When instant={at} timeZone={timeZone} format="minute" />,
    },
  ];
}

/** The end user, session or tag value that passed a limit on each of them, with its request. */
function PassedValue({ pass: { value, requestId } }: { readonly pass: rest.SoftLimitPass }) {
  const scope = useScope();
  if (value === null || requestId === null) return null;
  return (
    <Link
      href={pageOf(scope, `usage/${requestId}`)}
      prefetch={false}
      className="block break-all text-accent underline-offset-4 hover:underline"
    >
      {value}
    </Link>
  );
}
