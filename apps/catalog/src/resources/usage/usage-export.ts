import { formatUsd, rest, type UsageFieldGroup } from '@tollgate/contracts';

import type { UsageRecord } from '../../ledger/records/usage-record.entity';
import type { Call } from '../../rest/call';
import type { CsvCell } from '../../rest/csv';
import { download } from '../../rest/download';
import { exportSpan } from '../../rest/export-span';
import { namesOf, type Mention, type NameOf } from '../../rest/object-names';
import { mcpRequestsOf, mcpTargetsOf, type McpTarget } from './mcp-targets';
import { csvPages, type CsvColumn } from './record-csv';
import { usageFieldCells } from './usage-fields';
import { pageOfRecords } from './usage-records';

/** Usage records as CSV. */

interface Exported {
  readonly row: UsageRecord;
  readonly mcp: McpTarget | undefined;
  readonly nameOf: NameOf;
}

const usd = (nanoUsd: bigint): CsvCell => ({ amount: formatUsd(nanoUsd) });

const plainCells = (group: UsageFieldGroup): CsvColumn<Exported>[] =>
  usageFieldCells(group).map(([name, cell]) => [name, ({ row }) => cell(row)]);

const COLUMNS: readonly CsvColumn<Exported>[] = [
  ['id', ({ row }) => row.id],
  ['authorisedAt', ({ row }) => row.authorisedAt.toISOString()],
  ['closedAt', ({ row }) => row.closedAt.toISOString()],
  ['teamId', ({ row }) => row.teamId],
  ['team', ({ row, nameOf }) => nameOf('team', row.teamId)],
  ['userId', ({ row }) => row.userId],
  ['user', ({ row, nameOf }) => nameOf('user', row.userId)],
  ['apiKeyId', ({ row }) => row.apiKeyId],
  ['apiKey', ({ row, nameOf }) => nameOf('apiKey', row.apiKeyId)],
  ['modelId', ({ row }) => row.modelId],
  ['model', ({ row }) => row.modelName],
  ['providerId', ({ row }) => row.providerId],
  ['provider', ({ row, nameOf }) => nameOf('provider', row.providerId)],
  ...plainCells('request'),
  ['mode', ({ row }) => row.mode],
  ['outcome', ({ row }) => row.outcome],
  ...plainCells('answer'),
  ['usageQuality', ({ row }) => row.usageQuality],
  ['inputTokens', ({ row }) => Number(row.inputTokens)],
  ['cacheReadTokens', ({ row }) => Number(row.cacheReadTokens)],
  ['cacheWrite5mTokens', ({ row }) => Number(row.cacheWrite5mTokens)],
  ['cacheWrite1hTokens', ({ row }) => Number(row.cacheWrite1hTokens)],
  ['audioInputTokens', ({ row }) => Number(row.audioInputTokens)],
  ['imageInputTokens', ({ row }) => Number(row.imageInputTokens)],
  ['outputTokens', ({ row }) => Number(row.outputTokens)],
  ['audioOutputTokens', ({ row }) => Number(row.audioOutputTokens)],
  ['imageOutputTokens', ({ row }) => Number(row.imageOutputTokens)],
  ['reasoningTokens', ({ row }) => Number(row.reasoningTokens)],
  ['costUsd', ({ row }) => usd(row.costNanoUsd)],
  ['cacheSavedUsd', ({ row }) => usd(row.cacheSavedNanoUsd)],
  ['routingSavedUsd', ({ row }) => usd(row.routingSavedNanoUsd)],
  ...plainCells('timing'),
  ['mcpServerId', ({ row }) => row.mcpServerId],
  ['mcpServer', ({ mcp }) => mcp?.server ?? null],
  ['mcpMethod', ({ mcp }) => mcp?.method ?? null],
  ['mcpName', ({ mcp }) => mcp?.name ?? null],
];

export function exportRecords(call: Call<typeof rest.exportUsageRecords>): Promise<string> {
  const { db, query, organisation, access } = call;
  const span = exportSpan(query, rest.USAGE_EXPORT_DAYS, call.nowMs);
  const filter = { ...query, from: span.from, to: span.to };
  const chunks = csvPages(COLUMNS, async (place) => {
    const sorted = { ...place, sort: 'authorisedAt' };
    const { rows, nextCursor } = await pageOfRecords(db, organisation.id, access, filter, sorted);
    const targets = await mcpTargetsOf(db, mcpRequestsOf(rows));
    const nameOf = await namesOf(db, rows.flatMap(ownersOf));
    return { rows: rows.map((row) => ({ row, mcp: targets.get(row.id), nameOf })), nextCursor };
  });
  return Promise.resolve(download({ filename: span.filename('usage'), chunks }));
}

const ownersOf = (row: UsageRecord): Mention[] => [
  { kind: 'team', id: row.teamId },
  { kind: 'user', id: row.userId },
  { kind: 'apiKey', id: row.apiKeyId },
  { kind: 'provider', id: row.providerId },
];
