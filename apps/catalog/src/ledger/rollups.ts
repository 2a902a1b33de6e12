import { createHash } from 'node:crypto';
import { OUTCOMES } from '@tollgate/contracts';
import type { Tx } from '../db';
import { addTo, AMOUNT_COLUMNS, amountsOf, type Sums } from './amounts';
import type { Booking } from './bookings';
import type { Dimensions } from './entry';
import { insertStatement, type InsertColumn } from './unnest';

const HOUR_MS = 3_600_000;
const ENDS = [...OUTCOMES, 'ABANDONED'] as const;
type End = (typeof ENDS)[number];

const endColumn = (end: End): string => end.toLowerCase();

type Rollup = {
  id: string;
  hourMs: number;
  dimensions: Dimensions;
  amounts: Sums;
  ends: Record<End, number>;
  latencyMs: number;
  latencyCount: number;
};

const SUM_COLUMNS: readonly InsertColumn<Rollup>[] = [
  ...AMOUNT_COLUMNS.map((column): InsertColumn<Rollup> => [
    column,
    'bigint',
    (row) => row.amounts[column],
  ]),
  ...ENDS.map((end): InsertColumn<Rollup> => [endColumn(end), 'bigint', (row) => row.ends[end]]),
  ['latency_ms', 'bigint', (row) => row.latencyMs],
  ['latency_count', 'bigint', (row) => row.latencyCount],
];

const upsert = insertStatement<Rollup>(
  'ledger-upsert-usage',
  'usage',
  [
    ['id', 'uuid', (row) => row.id],
    ['organisation_id', 'uuid', (row) => row.dimensions.organisationId],
    ['team_id', 'uuid', (row) => row.dimensions.teamId],
    ['user_id', 'uuid', (row) => row.dimensions.userId],
    ['api_key_id', 'uuid', (row) => row.dimensions.apiKeyId],
    ['model_id', 'uuid', (row) => row.dimensions.modelId],
    ['provider_id', 'uuid', (row) => row.dimensions.providerId],
    ['hour', 'timestamptz', (row) => new Date(row.hourMs).toISOString()],
    ...SUM_COLUMNS,
  ],
  `ON CONFLICT (id) DO UPDATE SET updated_at = now(), ${SUM_COLUMNS.map(
    ([name]) => `${name} = usage.${name} + excluded.${name}`,
  ).join(', ')}`,
);

/** Adds bookings to the hourly rollups. Each row is touched once, in the order of ids. */
export async function addToRollups(tx: Tx, bookings: readonly Booking[]): Promise<void> {
  const rollups = new Map<string, Rollup>();
  for (const booking of bookings) {
    const hourMs = Math.floor(booking.authorisedAtMs / HOUR_MS) * HOUR_MS;
    const key = keyOf(booking.dimensions, hourMs);
    let rollup = rollups.get(key);
    if (rollup === undefined) rollups.set(key, (rollup = emptyRollup(key, booking, hourMs)));
    addTo(rollup.amounts, booking.amounts);
    for (const end of ENDS) rollup.ends[end] += booking.ends[end] ?? 0;
    if (booking.latencyMs !== undefined) {
      rollup.latencyMs += booking.latencyMs;
      rollup.latencyCount += 1;
    }
  }
  if (rollups.size === 0) return;
  await tx.query(upsert([...rollups.values()].sort((a, b) => (a.id < b.id ? -1 : 1))));
}

function keyOf(dimensions: Dimensions, hourMs: number): string {
  const { organisationId, teamId, userId, apiKeyId, modelId, providerId } = dimensions;
  return [organisationId, teamId, userId, apiKeyId, modelId, providerId, hourMs].join('/');
}

function emptyRollup(key: string, { dimensions }: Booking, hourMs: number): Rollup {
  return {
    id: uuidOf(key),
    hourMs,
    dimensions,
    amounts: amountsOf(() => 0n),
    ends: Object.fromEntries(ENDS.map((end) => [end, 0])) as Rollup['ends'],
    latencyMs: 0,
    latencyCount: 0,
  };
}

/** A name-based UUID (version 8): the same key gives the same row. */
function uuidOf(key: string): string {
  const digest = createHash('sha256').update(key).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString('hex', 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
