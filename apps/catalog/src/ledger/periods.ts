import { createHash } from 'node:crypto';
import { isTimeZone, windowAt, type Outcome } from '@tollgate/contracts';
import type { Tx } from '../db';
import {
  addTo,
  AMOUNT_COLUMNS,
  amountsOf,
  minus,
  NOTHING,
  plus,
  type Amounts,
  type Sums,
} from './amounts';
import type { Booking } from './bookings';
import type { Dimensions } from './entry';
import { bucketOf, LATENCY_BUCKETS } from './latency';
import { GRAINS, PERIOD_COUNTS, type Grain, type Period } from './period-sql';
import { insertStatement, type InsertColumn } from './unnest';

/**
 * Usage by hour, day and month, with what latency was like: what charts, breakdowns and invoices are
 * read from. Days and months are dates of the organisation's calendar as it was when the request was
 * authorised, so each booking counts in exactly one of each, whatever becomes of the time zone.
 */

/** What bookings come to, of which all share what the row is kept by. */
type Sum = {
  amounts: Sums;
  latencyMs: number;
  latencyCount: number;
  firstTokenMs: number;
  firstTokenCount: number;
  /** As `PERIOD_COUNTS`. */
  counts: number[];
};

type Detail = { dimensions: Dimensions; operation: string; status: Outcome | 'ABANDONED' };
type Group = Sum & Detail & { hour: string; date: string };

type PeriodRow = Sum & {
  id: string;
  period: Period;
  /** `2026-11-22T00:00`: of an hour in UTC, of a day or month in the organisation's calendar. */
  starts: string;
  owners: boolean;
  dimensions: Dimensions;
  operation: string;
  status: string;
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
  ...PERIOD_COUNTS.map((name, at): InsertColumn<PeriodRow> => [
    name,
    'integer',
    (row) => row.counts[at] ?? 0,
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
  // Most bookings of a batch are alike: they are added up before they go into the row of each grain.
  for (const group of groupsOf(bookings)) {
    for (const grain of GRAINS) addSum(rowOf(rows, group, grain), group);
  }
  if (rows.size === 0) return;
  await tx.query(upsert([...rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1))));
}

function groupsOf(bookings: readonly Booking[]): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const booking of bookings) {
    const zone = booking.bookedZone ?? booking.timeZone;
    const hour = `${new Date(booking.authorisedAtMs).toISOString().slice(0, 13)}:00`;
    const date = localDate(booking.authorisedAtMs, isTimeZone(zone) ? zone : 'UTC');
    for (const { amounts, measured, ...detail } of partsOf(booking)) {
      const key = [hour, date, detailKey(detail)].join('/');
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = { ...emptySum(), ...detail, hour, date }));
      addTo(group.amounts, amounts);
      if (measured) measure(group, booking);
    }
  }
  return groups.values();
}

type Part = Detail & { amounts: Amounts; measured: boolean };

/** Late truth takes what an abandoned request was charged out of that status, and books it anew. */
function partsOf({ dimensions, operation, status, amounts, leaves }: Booking): Part[] {
  const detail = { dimensions, operation };
  if (leaves === undefined) return [{ ...detail, status, amounts, measured: true }];
  return [
    { ...detail, status: 'ABANDONED', amounts: minus(NOTHING, leaves), measured: false },
    { ...detail, status, amounts: plus(amounts, leaves), measured: true },
  ];
}

const NOBODY = { teamId: null, userId: null, apiKeyId: '' } as const;
const NOTHING_SERVED = { modelId: null, providerId: null } as const;

function rowOf(rows: Map<string, PeriodRow>, group: Group, grain: Grain): PeriodRow {
  const { period, owners, detail } = grain;
  const dimensions = {
    ...group.dimensions,
    ...(owners ? {} : NOBODY),
    ...(detail ? {} : NOTHING_SERVED),
  };
  const operation = detail ? group.operation : '';
  const status = detail ? group.status : '';
  const starts = startOf(grain.unit, group);
  const key = [period, starts, owners, detailKey({ dimensions, operation, status })].join('/');
  let row = rows.get(key);
  if (row === undefined) {
    const id = uuidOf(key);
    row = { ...emptySum(), id, period, starts, owners, dimensions, operation, status };
    rows.set(key, row);
  }
  return row;
}

const emptySum = (): Sum => ({
  amounts: amountsOf(() => 0n),
  latencyMs: 0,
  latencyCount: 0,
  firstTokenMs: 0,
  firstTokenCount: 0,
  counts: PERIOD_COUNTS.map(() => 0),
});

function measure(sum: Sum, { latencyMs, firstTokenMs }: Booking): void {
  if (latencyMs === undefined) return;
  sum.latencyMs += latencyMs;
  sum.latencyCount += 1;
  count(sum, bucketOf(latencyMs));
  if (firstTokenMs === undefined) return;
  sum.firstTokenMs += firstTokenMs;
  sum.firstTokenCount += 1;
  count(sum, LATENCY_BUCKETS + bucketOf(firstTokenMs));
}

function count({ counts }: Sum, at: number, times = 1): void {
  counts[at] = (counts[at] ?? 0) + times;
}

function addSum(to: Sum, sum: Sum): void {
  addTo(to.amounts, sum.amounts);
  to.latencyMs += sum.latencyMs;
  to.latencyCount += sum.latencyCount;
  to.firstTokenMs += sum.firstTokenMs;
  to.firstTokenCount += sum.firstTokenCount;
  for (const [at, times] of sum.counts.entries()) count(to, at, times);
}

function detailKey({
  dimensions: { organisationId, teamId, userId, apiKeyId, modelId, providerId },
  operation,
  status,
}: Pick<PeriodRow, 'dimensions' | 'operation' | 'status'>): string {
  const ids = [organisationId, teamId, userId, apiKeyId, modelId, providerId];
  return [...ids.map((id) => id ?? ''), operation, status].join('/');
}

/** The same key gives the same row, here and where the table is summed up anew in SQL. */
function uuidOf(key: string): string {
  return createHash('md5')
    .update(key)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function startOf(unit: Grain['unit'], { hour, date }: Group): string {
  if (unit === 'hour') return hour;
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
