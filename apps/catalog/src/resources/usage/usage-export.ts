import { formatUsd, rest } from '@tollgate/contracts';

import type { UsageRecord } from '../../ledger/records/usage-record.entity';
import type { Call } from '../../rest/call';
import { csvLine, type CsvCell } from '../../rest/csv';
import { download } from '../../rest/download';
import { exportSpan } from '../../rest/export-span';
import { usageFieldCells } from './usage-fields';
import { pageOfRecords } from './usage-records';

/** Usage records as CSV, with keyset paging; each page is read when the previous one was sent. */

/** Small enough that other requests are not delayed while a page is written. */
const BATCH = 250;

const usd = (nanoUsd: bigint): CsvCell => ({ amount: formatUsd(nanoUsd) });

const COLUMNS: readonly (readonly [name: string, cell: (row: UsageRecord) => CsvCell])[] = [
  ['id', (row) => row.id],
  ['authorisedAt', (row) => row.authorisedAt.toISOString()],
  ['closedAt', (row) => row.closedAt.toISOString()],
  ['teamId', (row) => row.teamId],
  ['userId', (row) => row.userId],
  ['apiKeyId', (row) => row.apiKeyId],
  ['modelId', (row) => row.modelId],
  ['model', (row) => row.modelName],
  ['providerId', (row) => row.providerId],
  ...usageFieldCells('request'),
  ['mode', (row) => row.mode],
  ['outcome', (row) => row.outcome],
  ...usageFieldCells('answer'),
  ['usageQuality', (row) => row.usageQuality],
  ['inputTokens', (row) => Number(row.inputTokens)],
  ['cacheReadTokens', (row) => Number(row.cacheReadTokens)],
  ['cacheWrite5mTokens', (row) => Number(row.cacheWrite5mTokens)],
  ['cacheWrite1hTokens', (row) => Number(row.cacheWrite1hTokens)],
  ['audioInputTokens', (row) => Number(row.audioInputTokens)],
  ['outputTokens', (row) => Number(row.outputTokens)],
  ['audioOutputTokens', (row) => Number(row.audioOutputTokens)],
  ['reasoningTokens', (row) => Number(row.reasoningTokens)],
  ['costUsd', (row) => usd(row.costNanoUsd)],
  ...usageFieldCells('timing'),
];

export function exportRecords(call: Call<typeof rest.exportUsageRecords>): Promise<string> {
  const { db, query, organisation, access } = call;
  const span = exportSpan(query, rest.USAGE_EXPORT_DAYS, call.nowMs);
  const filter = { ...query, from: span.from, to: span.to };

  async function* chunks(): AsyncGenerator<string> {
    let cursor: string | undefined;
    let head = csvLine(COLUMNS.map(([name]) => name));
    do {
      const place = { cursor, limit: BATCH, sort: 'authorisedAt' } as const;
      const page = await pageOfRecords(db, organisation.id, access, filter, place);
      yield head + page.rows.map((row) => csvLine(COLUMNS.map(([, cell]) => cell(row)))).join('');
      head = '';
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  return Promise.resolve(download({ filename: span.filename('usage'), chunks: chunks() }));
}
