import { createHash } from 'node:crypto';
import { isTimeZone, windowAt, type Outcome } from '@tollgate/contracts';
import type { Tx } from '../db';
import { AMOUNT_COLUMNS, minus, NOTHING, plus, type Amounts } from './amounts';
import type { Booking } from './bookings';
import type { Dimensions } from './entry';
import { bucketOf } from './latency';
import {
  FIRST_TOKEN_COUNTS,
  GRAINS,
  LATENCY_COUNTS,
  PERIOD_COUNTS,
  type Grain,
  type Period,
} from './period-sql';
import { insertStatement, type InsertColumn } from './unnest';

/**
 * Usage by hour, day and month, with what latency was like: what charts, breakdowns and invoices are
 * read from. Days and months are dates of the organisation's calendar as it was when the request was
 * authorised, so each booking counts in exactly one of each, whatever becomes of the time zone.
 */

type PeriodRow = {
  id: string;
  period: Period;
  /** `2026-11-22T00:00`: of an hour in UTC, of a day or month in the organisation's calendar. */
  starts: string;
  owners: boolean;
  dimensions: Dimensions;
  operation: string;
  status: string;
  amounts: Amounts;
  latencyMs: number;
  latencyCount: number;
  firstTokenMs: number;
  firstTokenCount: number;
  counts: Map<string, number>;
};

const SUM_COLUMNS: readonly InsertColumn<PeriodRow>[] = [
  ...AMOUNT_COLUMNS.map((column): InsertColumn<PeriodRow> => [
    column,
    'bigint',
    (row) => row.amounts[column],
  ]),
  ['latency_ms', 'bigint', (row) => row.latencyMs],
  ['latency_count', 'bigint', (row) => row.latencyCount],
  ['first_token_ms', 'bigint', (row) => row.firstTokenMs],
  ['first_token_count', 'bigint', (row) => row.firstTokenCount],
  ...PERIOD_COUNTS.map((name): InsertColumn<PeriodRow> => [
    name,
    'integer',
    (row) => row.counts.get(name) ?? 0,
  ]),
];

const upsert = insertStatement<PeriodRow>(
  'ledger-upsert-periods',
  'usage_period',
  [
    ['id', 'uuid', (row) => row.id],
    ['period', 'text', (row) => row.period],
    ['starts', 'timestamp', (row) => row.starts],
    ['owners', 'boolean', (row) => row.owners],
    ['organisation_id', 'uuid', (row) => row.dimensions.organisationId],
    ['team_id', 'uuid', (row) => row.dimensions.teamId],
    ['user_id', 'uuid', (row) => row.dimensions.userId],
    // A row that is not by owner has no key: the empty id is none.
    ['api_key_id', 'uuid', (row) => row.dimensions.apiKeyId || null],
    ['model_id', 'uuid', (row) => row.dimensions.modelId],
    ['provider_id', 'uuid', (row) => row.dimensions.providerId],
    ['operation', 'text', (row) => row.operation],
    ['status', 'text', (row) => row.status],
    ...SUM_COLUMNS,
  ],
  `ON CONFLICT (id) DO UPDATE SET ${SUM_COLUMNS.map(
    ([name]) => `${name} = usage_period.${name} + excluded.${name}`,
  ).join(', ')}`,
);

/** Adds bookings to the rows of their periods. Each row is touched once, in the order of ids. */
export async function addToPeriods(tx: Tx, bookings: readonly Booking[]): Promise<void> {
  const rows = new Map<string, PeriodRow>();
  for (const booking of bookings) {
    for (const part of partsOf(booking)) {
      for (const grain of GRAINS) add(rows, booking, part, grain);
    }
  }
  if (rows.size === 0) return;
  await tx.query(upsert([...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1))));
}

type Part = {
  status: Outcome | 'ABANDONED';
  dimensions: Dimensions;
  amounts: Amounts;
  measured: boolean;
};

/** Late truth takes what an abandoned request was charged out of that status, and books it anew. */
function partsOf({ dimensions, status, amounts, leaves }: Booking): Part[] {
  if (leaves === undefined) return [{ status, dimensions, amounts, measured: true }];
  return [
    { status: 'ABANDONED', dimensions, amounts: minus(NOTHING, leaves), measured: false },
    { status, dimensions, amounts: plus(amounts, leaves), measured: true },
  ];
}

const NOBODY = { teamId: null, userId: null, apiKeyId: '' } as const;
const NOTHING_SERVED = { modelId: null, providerId: null } as const;

function add(
  rows: Map<string, PeriodRow>,
  booking: Booking,
  part: Part,
  { period, unit, owners, detail }: Grain,
): void {
  const dimensions = {
    ...part.dimensions,
    ...(owners ? {} : NOBODY),
    ...(detail ? {} : NOTHING_SERVED),
  };
  const operation = detail ? booking.operation : '';
  const status = detail ? part.status : '';
  const starts = startOf(unit, booking.authorisedAtMs, booking.bookedZone ?? booking.timeZone);
  const key = keyOf(period, starts, owners, dimensions, operation, status);
  let row = rows.get(key);
  if (row === undefined) {
    row = {
      id: '',
      period,
      starts,
      owners,
      dimensions,
      operation,
      status,
      amounts: NOTHING,
      latencyMs: 0,
      latencyCount: 0,
      firstTokenMs: 0,
      firstTokenCount: 0,
      counts: new Map(),
    };
    row.id = uuidOf(key);
    rows.set(key, row);
  }
  row.amounts = plus(row.amounts, part.amounts);
  if (part.measured) measure(row, booking);
}

function measure(row: PeriodRow, { latencyMs, firstTokenMs }: Booking): void {
  if (latencyMs === undefined) return;
  row.latencyMs += latencyMs;
  row.latencyCount += 1;
  count(row, LATENCY_COUNTS, latencyMs);
  if (firstTokenMs === undefined) return;
  row.firstTokenMs += firstTokenMs;
  row.firstTokenCount += 1;
  count(row, FIRST_TOKEN_COUNTS, firstTokenMs);
}

function count(row: PeriodRow, names: readonly string[], ms: number): void {
  const name = names[bucketOf(ms)] ?? '';
  row.counts.set(name, (row.counts.get(name) ?? 0) + 1);
}

function keyOf(
  period: Period,
  starts: string,
  owners: boolean,
  { organisationId, teamId, userId, apiKeyId, modelId, providerId }: Dimensions,
  operation: string,
  status: string,
): string {
  const ids = [organisationId, teamId, userId, apiKeyId, modelId, providerId];
  return [period, starts, owners, ...ids.map((id) => id ?? ''), operation, status].join('/');
}

/** The same key gives the same row, here and where the table is summed up anew in SQL. */
function uuidOf(key: string): string {
  return createHash('md5')
    .update(key)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function startOf(unit: Grain['unit'], instantMs: number, timeZone: string): string {
  if (unit === 'hour') return `${new Date(instantMs).toISOString().slice(0, 13)}:00`;
  const date = localDate(instantMs, isTimeZone(timeZone) ? timeZone : 'UTC');
  return unit === 'day' ? `${date}T00:00` : `${date.slice(0, 7)}-01T00:00`;
}

const DATES_KEPT = 1_000;
const dates = new Map<string, string>();

/** `2026-11-22`: the date of an instant in a zone. The day's own window is the key to remember it by. */
export function localDate(instantMs: number, timeZone: string): string {
  const { startMs } = windowAt({ period: 'DAILY' }, instantMs, timeZone);
  const key = `${timeZone}/${startMs}`;
  let date = dates.get(key);
  if (date === undefined) {
    if (dates.size >= DATES_KEPT) dates.clear();
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    dates.set(key, (date = format.format(startMs)));
  }
  return date;
}
