import { PASSTHROUGH_OPERATION, type rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { Badge } from '../../design/badge';
import { showCost } from '../../format/money';
import { showCount, showDuration, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import type { ListColumn } from '../../resource/columns-menu';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { RESULTS } from './group-name';

/** Columns of booked requests; `full` includes all of them. */
export function useRecordColumns(
  columns: 'short' | 'full' = 'short',
): readonly ListColumn<rest.UsageRecord>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.UsageRecord>[]>(
    () => [
      {
        title: 'Time',
        sort: 'authorisedAt',
        cell: ({ authorisedAt, id }) => (
          <Link
            href={pageOf(scope, `usage/${id}`)}
            // The router keeps every page that it has prefetched; a live list has hundreds of them a second.
            prefetch={false}
            title={`Request ${id}`}
            className="font-normal text-accent tabular-nums underline-offset-4 hover:underline sm:whitespace-nowrap"
          >
            <time dateTime={authorisedAt}>{showTime(authorisedAt, 'moment', timeZone)}</time>
          </Link>
        ),
      },
      {
        title: 'Model or MCP server',
        cell: (record) => <span className="break-words">{targetOf(record)}</span>,
      },
      { title: 'Result', cell: (record) => <RecordResult record={record} /> },
      {
        title: 'Tokens in',
        align: 'right',
        from: 'md',
        cell: ({ tokensIn }) => <span title={showCount(tokensIn)}>{showShort(tokensIn)}</span>,
      },
      {
        title: 'Tokens out',
        align: 'right',
        from: 'md',
        cell: ({ tokensOut }) => <span title={showCount(tokensOut)}>{showShort(tokensOut)}</span>,
      },
      {
        title: 'Latency',
        align: 'right',
        from: 'sm',
        cell: ({ latencyMs }) => showDuration(latencyMs),
      },
      { title: 'Cost', align: 'right', cell: ({ costUsd }) => showCost(costUsd) },
      ...(columns === 'full' ? MORE : []),
    ],
    [columns, scope, timeZone],
  );
}

const MORE: readonly ListColumn<rest.UsageRecord>[] = [
  {
    title: 'API key',
    from: 'lg',
    cell: ({ apiKeyId }) => <ScopeName scope={{ type: 'API_KEY', id: apiKeyId }} bare />,
  },
  { title: 'HTTP status', from: 'lg', align: 'right', cell: ({ httpStatus }) => httpStatus },
  {
    title: 'Team',
    from: 'xl',
    cell: ({ teamId }) =>
      teamId === null ? '—' : <ScopeName scope={{ type: 'TEAM', id: teamId }} bare />,
  },
  {
    title: 'User',
    from: 'xl',
    cell: ({ userId }) =>
      userId === null ? '—' : <ScopeName scope={{ type: 'USER', id: userId }} bare />,
  },
  { title: 'Operation', hidden: true, cell: ({ operation }) => operation },
  {
    title: 'Route',
    hidden: true,
    cell: ({ route }) => <code className="font-mono text-sm">{route}</code>,
  },
  { title: 'Stream', hidden: true, cell: ({ stream }) => (stream ? 'yes' : 'no') },
  {
    title: 'First token',
    hidden: true,
    align: 'right',
    cell: ({ firstTokenMs }) => (firstTokenMs === null ? '—' : showDuration(firstTokenMs)),
  },
  {
    title: 'Client’s id',
    hidden: true,
    cell: ({ clientRequestId }) => (
      <code className="font-mono text-sm break-all">{clientRequestId ?? '—'}</code>
    ),
  },
];

/** What was asked: the model, the MCP server with the tool or method, or the rule of a passthrough request. */
export function targetOf({
  model,
  mcp,
  operation,
  route,
}: Pick<rest.UsageRecord, 'model' | 'mcp' | 'operation' | 'route'>): string {
  if (operation === PASSTHROUGH_OPERATION) return route;
  return mcp === null ? model : `${mcp.server}: ${mcp.name ?? mcp.method}`;
}

export function RecordResult({ record }: { record: rest.UsageRecord }) {
  const { mode, outcome, errorCode, httpStatus } = record;
  const status = mode === 'ABANDONED' || outcome === null ? 'ABANDONED' : outcome;
  const { tone, words } = RESULTS[status];
  return (
    <span title={`HTTP ${String(httpStatus)}`}>
      <Badge tone={tone}>{errorCode ?? words}</Badge>
    </span>
  );
}
