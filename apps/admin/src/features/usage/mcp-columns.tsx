import type { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { Badge } from '../../design/badge';
import { showCost } from '../../format/money';
import { showDuration, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import type { ListColumn } from '../../resource/columns-menu';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { ScopeName } from '../pickers/scope-name';
import { RESULTS } from './group-name';

/** Columns of requests to MCP servers; `full` includes the server and its owners. */
export function useMcpRecordColumns(
  columns: 'short' | 'full' = 'short',
): readonly ListColumn<rest.McpUsageRecord>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.McpUsageRecord>[]>(
    () => [
      {
        title: 'Time',
        sort: 'calledAt',
        cell: ({ calledAt, id }) => (
          <Link
            href={pageOf(scope, `usage/${id}`)}
            title={`Request ${id}`}
            className="font-normal text-accent tabular-nums underline-offset-4 hover:underline sm:whitespace-nowrap"
          >
            <time dateTime={calledAt}>{showTime(calledAt, 'moment', timeZone)}</time>
          </Link>
        ),
      },
      ...(columns === 'full' ? [serverColumn] : []),
      {
        title: 'Method',
        cell: ({ method, name }) => (
          <>
            <span className="block font-mono text-sm break-all">{method}</span>
            {name !== null && (
              <span className="block text-sm break-all text-ink-soft" title={name}>
                {shortName(name)}
              </span>
            )}
          </>
        ),
      },
      { title: 'Result', cell: (record) => <McpResult record={record} /> },
      {
        title: 'Latency',
        align: 'right',
        from: 'sm',
        cell: ({ latencyMs }) => showDuration(latencyMs),
      },
      { title: 'Cost', align: 'right', cell: ({ costUsd }) => showCost(costUsd) },
      ...(columns === 'full' ? OWNERS : []),
      ...MORE,
    ],
    [columns, scope, timeZone],
  );
}

const serverColumn: ListColumn<rest.McpUsageRecord> = {
  title: 'Server',
  from: 'sm',
  cell: ({ mcpServer }) => <span className="break-all">{mcpServer}</span>,
};

const OWNERS: readonly ListColumn<rest.McpUsageRecord>[] = [
  {
    title: 'Team',
    hidden: true,
    cell: ({ teamId }) =>
      teamId === null ? '—' : <ScopeName scope={{ type: 'TEAM', id: teamId }} bare />,
  },
  {
    title: 'User',
    hidden: true,
    cell: ({ userId }) =>
      userId === null ? '—' : <ScopeName scope={{ type: 'USER', id: userId }} bare />,
  },
];

const MORE: readonly ListColumn<rest.McpUsageRecord>[] = [
  {
    title: 'API key',
    hidden: true,
    cell: ({ apiKeyId }) => <ScopeName scope={{ type: 'API_KEY', id: apiKeyId }} bare />,
  },
  {
    title: 'First byte',
    hidden: true,
    align: 'right',
    cell: ({ firstByteMs }) => (firstByteMs === null ? '—' : showDuration(firstByteMs)),
  },
  {
    title: 'Bytes in',
    hidden: true,
    align: 'right',
    cell: ({ requestBytes }) => showShort(requestBytes),
  },
  {
    title: 'Bytes out',
    hidden: true,
    align: 'right',
    cell: ({ responseBytes }) => showShort(responseBytes),
  },
  { title: 'HTTP status', hidden: true, align: 'right', cell: ({ httpStatus }) => httpStatus },
  {
    title: 'Protocol version',
    hidden: true,
    cell: ({ protocolVersion }) => protocolVersion ?? '—',
  },
  {
    title: 'Client’s id',
    hidden: true,
    cell: ({ clientRequestId }) => (
      <code className="font-mono text-sm break-all">{clientRequestId ?? '—'}</code>
    ),
  },
];

const NAME_CHARACTERS = 60;

/** A URI can be long: its end tells it apart from others. */
function shortName(name: string): string {
  return name.length <= NAME_CHARACTERS ? name : `…${name.slice(1 - NAME_CHARACTERS)}`;
}

type ResultOf = Pick<
  rest.McpUsageRecord,
  'mode' | 'outcome' | 'errorCode' | 'httpStatus' | 'jsonRpcErrorCode' | 'isError'
>;

/** The result of a request; an error of the tool is no failure of the request. */
export function McpResult({ record }: { record: ResultOf }) {
  const { mode, outcome, errorCode, httpStatus, jsonRpcErrorCode, isError } = record;
  const status = mode === 'ABANDONED' || outcome === null ? 'ABANDONED' : outcome;
  const { tone, words } = RESULTS[status];
  const rpc = jsonRpcErrorCode === null ? undefined : `error ${String(jsonRpcErrorCode)}`;
  return (
    <span title={`HTTP ${String(httpStatus)}`} className="flex flex-wrap gap-1">
      <Badge tone={rpc === undefined ? tone : 'bad'}>{errorCode ?? rpc ?? words}</Badge>
      {isError && <Badge tone="warn">tool error</Badge>}
    </span>
  );
}
