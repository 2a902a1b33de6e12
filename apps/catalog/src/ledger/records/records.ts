import { isTimeZone } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import type { Tx } from '../../db';
import { AMOUNT_COLUMNS, amountsOf, ZERO_AMOUNTS, type Amounts } from './amounts';
import type { Adjustment, KnownRecord } from './bookings';
import { insertStatement, instantText, type InsertColumn } from './column-arrays';
import type { Dimensions, LedgerEntry } from './entry';
import { storedValuesOf } from './limit-values';
import { USAGE_FIELD_COLUMNS } from './usage-fields';

interface RecordRow {
  entry: LedgerEntry;
  shard: number;
}

const RECORD_COLUMNS: readonly InsertColumn<RecordRow>[] = [
  ['id', 'uuid', ({ entry }) => entry.requestId],
  ['organisation_id', 'uuid', ({ entry }) => entry.dimensions.organisationId],
  ['team_id', 'uuid', ({ entry }) => entry.dimensions.teamId],
  ['user_id', 'uuid', ({ entry }) => entry.dimensions.userId],
  ['api_key_id', 'uuid', ({ entry }) => entry.dimensions.apiKeyId],
  ['model_id', 'uuid', ({ entry }) => entry.dimensions.modelId],
  ['provider_id', 'uuid', ({ entry }) => entry.dimensions.providerId],
  ['mcp_server_id', 'uuid', ({ entry }) => entry.dimensions.mcpServerId],
  ['model_name', 'text', ({ entry }) => entry.details.modelName],
  ['mode', 'text', ({ entry }) => entry.mode],
  ['outcome', 'text', ({ entry }) => entry.outcome],
  ['authorised_at', 'timestamptz', ({ entry }) => instantText(entry.authorisedAtMs)],
  ['time_zone', 'text', ({ entry }) => (isTimeZone(entry.timeZone) ? entry.timeZone : 'UTC')],
  ['closed_at', 'timestamptz', ({ entry }) => instantText(entry.closedAtMs)],
  ['usage_quality', 'text', ({ entry }) => entry.details.usageQuality],
  ['units', 'jsonb', ({ entry }) => JSON.stringify(entry.details.units)],
  ['attempts', 'jsonb', ({ entry }) => JSON.stringify(entry.details.attempts)],
  ...USAGE_FIELD_COLUMNS.map(([column, type, name]): InsertColumn<RecordRow> => [
    column,
    type,
    ({ entry }) => entry.details[name],
  ]),
  ['limit_values', 'jsonb', ({ entry }) => storedValuesOf(entry.touched)],
  ['shard', 'smallint', ({ shard }) => shard],
  ['seq', 'bigint', ({ entry }) => entry.seq],
  ...AMOUNT_COLUMNS.map((column): InsertColumn<RecordRow> => [
    column,
    'bigint',
    ({ entry }) => entry.amounts[column],
  ]),
];

const insertRecordRows = insertStatement(
  'ledger-insert-records',
  'usage_record',
  RECORD_COLUMNS,
  'ON CONFLICT DO NOTHING RETURNING id',
);

/** Inserts records for these entries. Returns the requests that had no record before. */
export async function insertRecords(
  tx: Tx,
  entries: readonly { entry: LedgerEntry; shard: number }[],
): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>(insertRecordRows(entries));
  return new Set(rows.map((row) => row.id));
}

export interface StoredDimensions {
  organisation_id: string;
  team_id: string | null;
  user_id: string | null;
  api_key_id: string;
  model_id: string | null;
  provider_id: string | null;
  mcp_server_id: string | null;
}

/** The columns of `StoredDimensions`. */
export const DIMENSION_COLUMNS = [
  'organisation_id',
  'team_id',
  'user_id',
  'api_key_id',
  'model_id',
  'provider_id',
  'mcp_server_id',
] as const satisfies readonly (keyof StoredDimensions)[];

type StoredRecord = Record<string, unknown> &
  StoredDimensions & {
    id: string;
    mode: 'SETTLED' | 'ABANDONED';
    authorised_at: Date;
    time_zone: string | null;
    truth_booked: boolean;
  };

/** The existing records of these requests. */
export async function findRecords(
  tx: Tx,
  requestIds: readonly string[],
): Promise<Map<string, KnownRecord>> {
  if (requestIds.length === 0) return new Map();
  const { rows } = await tx.query<StoredRecord>({
    name: 'ledger-find-records',
    text: `SELECT id, mode, ${DIMENSION_COLUMNS.join(', ')}, authorised_at, time_zone,
        ${AMOUNT_COLUMNS.join(', ')},
        EXISTS (SELECT FROM usage_adjustment a
          WHERE a.request_id = r.id AND a.kind IN ('LATE_SETTLED', 'LATE_CANCELLED')) AS truth_booked
      FROM usage_record r WHERE id = ANY($1::uuid[])`,
    values: [requestIds],
  });
  const corrected = await findCorrections(
    tx,
    rows.filter((row) => row.mode === 'ABANDONED' && !row.truth_booked).map((row) => row.id),
  );
  return new Map(
    rows.map((row) => [row.id, knownRecord(row, corrected.get(row.id) ?? ZERO_AMOUNTS)]),
  );
}

/** The sum of an operator's corrections for each request. */
async function findCorrections(
  tx: Tx,
  requestIds: readonly string[],
): Promise<Map<string, Amounts>> {
  if (requestIds.length === 0) return new Map();
  const { rows } = await tx.query<Record<string, unknown> & { request_id: string }>({
    name: 'ledger-find-corrections',
    text: `SELECT request_id, ${AMOUNT_COLUMNS.map((c) => `sum(${c})::bigint AS ${c}`).join(', ')}
      FROM usage_adjustment WHERE request_id = ANY($1::uuid[]) AND kind = 'CORRECTION'
      GROUP BY request_id`,
    values: [requestIds],
  });
  return new Map(rows.map((row) => [row.request_id, amountsIn(row)]));
}

/** The summed columns of a row. */
export function amountsIn(row: Readonly<Record<string, unknown>>): Amounts {
  return amountsOf((column) => BigInt(row[column] as bigint | number));
}

/** The dimensions of a row. */
export function dimensionsIn(row: StoredDimensions): Dimensions {
  return {
    organisationId: row.organisation_id,
    teamId: row.team_id,
    userId: row.user_id,
    apiKeyId: row.api_key_id,
    modelId: row.model_id,
    providerId: row.provider_id,
    mcpServerId: row.mcp_server_id,
  };
}

function knownRecord(row: StoredRecord, corrected: Amounts): KnownRecord {
  return {
    mode: row.mode,
    dimensions: dimensionsIn(row),
    authorisedAtMs: row.authorised_at.getTime(),
    bookedZone: row.time_zone,
    amounts: amountsIn(row),
    truthBooked: row.truth_booked,
    corrected,
  };
}

const ADJUSTMENT_COLUMNS: readonly InsertColumn<Adjustment>[] = [
  ['id', 'uuid', (row) => row.id ?? uuidv7()],
  ['request_id', 'uuid', (row) => row.requestId],
  ['part', 'smallint', (row) => row.part],
  ['organisation_id', 'uuid', (row) => row.dimensions.organisationId],
  ['team_id', 'uuid', (row) => row.dimensions.teamId],
  ['user_id', 'uuid', (row) => row.dimensions.userId],
  ['api_key_id', 'uuid', (row) => row.dimensions.apiKeyId],
  ['model_id', 'uuid', (row) => row.dimensions.modelId],
  ['provider_id', 'uuid', (row) => row.dimensions.providerId],
  ['mcp_server_id', 'uuid', (row) => row.dimensions.mcpServerId],
  ['authorised_at', 'timestamptz', (row) => instantText(row.authorisedAtMs)],
  ['kind', 'text', (row) => row.kind],
  ['reason', 'text', (row) => row.reason],
  ['outcome', 'text', (row) => row.outcome],
  ['created_by', 'uuid', (row) => row.createdBy],
  ['price_id', 'uuid', (row) => row.priceId],
  ['units', 'jsonb', (row) => (row.units === null ? null : JSON.stringify(row.units))],
  ['service_tier', 'text', (row) => row.serviceTier],
  ...AMOUNT_COLUMNS.map((column): InsertColumn<Adjustment> => [
    column,
    'bigint',
    (row) => row.amounts[column],
  ]),
];

const insertAdjustmentRows = insertStatement(
  'ledger-insert-adjustments',
  'usage_adjustment',
  ADJUSTMENT_COLUMNS,
);

export async function insertAdjustments(tx: Tx, adjustments: readonly Adjustment[]): Promise<void> {
  if (adjustments.length > 0) await tx.query(insertAdjustmentRows(adjustments));
}
