'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';

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

/** Refused requests are kept this long. */
const LONGEST_MS = rest.REFUSED_DAYS * 86_400_000;

function latestOf({ startMs, endMs }: Span): Span {
  return { startMs: Math.max(startMs, endMs - LONGEST_MS), endMs };
}

/**
 * Requests of the period that got an error, by its code. Refused ones cost nothing and are not booked, so the other parts of
 * the page do not have them.
 */
export function RefusedCard({ usage }: { usage: Usage }) {
  const scope = useScope();
  const { organisation } = scope;
  const { span, filters } = usage.state;
  const query = { ...asQuery(latestOf(span)), ...onlyFilters(filters, KNOWN) };
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
      title="Refused and failed, by code"
      hint={
        data === undefined
          ? undefined
          : `${showCount(data.total)} in total, in the last ${String(rest.REFUSED_DAYS)} days of the period at most`
      }
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
