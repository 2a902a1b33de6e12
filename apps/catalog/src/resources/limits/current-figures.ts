import {
  SCOPE_TYPES,
  windowAt,
  type BudgetPeriod,
  type LimitScope,
  type QuotaMetric,
  type ScopeType,
  type Window,
} from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { METRIC_SUMS } from '../../ledger/records/amounts';
import { SCOPE_COLUMNS } from '../../ledger/windows/windows';

/** What limits have spent in their current windows, and what running requests hold. */

export interface Measured {
  readonly id: string;
  readonly organisationId: string;
  readonly scopeType: LimitScope;
  readonly scopeId: string;
  readonly metric: QuotaMetric;
  readonly period: BudgetPeriod | null;
  readonly windowSeconds: number | null;
  /** Null: the limit is not on each value. */
  readonly valueKey: string | null;
}

export interface Figures {
  readonly spent: bigint;
  readonly held: bigint;
  readonly windowStart: string;
  readonly windowEnd: string;
}

const TABLES = {
  BUDGET: {
    windows: 'budget_window',
    id: 'budget_id',
    total: 'spent_nano_usd',
    reservations: 'budget_reservation',
    held: 'held_nano_usd',
  },
  QUOTA: {
    windows: 'quota_window',
    id: 'quota_id',
    total: 'used',
    reservations: 'quota_reservation',
    held: 'held',
  },
} as const;

type Spanned = Measured & { readonly window: Window };

export async function currentFiguresOf(
  db: EntityManager,
  kind: keyof typeof TABLES,
  limits: readonly Measured[],
  timeZone: string,
  nowMs: number,
): Promise<Map<string, Figures>> {
  if (limits.length === 0) return new Map();
  const spanned = limits.map((limit): Spanned => {
    const { period, windowSeconds } = limit;
    const spec = period === null ? { windowSeconds: windowSeconds ?? 0 } : { period };
    return { ...limit, window: windowAt(spec, nowMs, timeZone) };
  });
  const largest = await largestValues(
    db,
    spanned.filter(({ valueKey }) => valueKey !== null),
  );
  const booked = await bookedWindows(db, kind, spanned);
  const missing = spanned.filter(({ id }) => !booked.has(id));
  const summed = await summedWindows(db, missing);
  const held = await heldAmounts(db, kind, spanned);
  return new Map(
    spanned.map(({ id, window }) => [
      id,
      {
        spent: largest.get(id) ?? booked.get(id) ?? summed.get(id) ?? 0n,
        held: held.get(id) ?? 0n,
        windowStart: iso(window.startMs),
        windowEnd: iso(window.endMs),
      },
    ]),
  );
}

const amounts = z.array(z.object({ id: z.string(), amount: z.string() }));

function byId(rows: unknown): Map<string, bigint> {
  return new Map(amounts.parse(rows).map(({ id, amount }) => [id, BigInt(amount)]));
}

async function bookedWindows(
  db: EntityManager,
  kind: keyof typeof TABLES,
  limits: readonly Spanned[],
): Promise<Map<string, bigint>> {
  const { windows, id, total } = TABLES[kind];
  return byId(
    await db.query(
      `SELECT ${id} AS id, ${total}::text AS amount
         FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS w(id, s, e)
         JOIN ${windows} ON ${id} = w.id AND starts_at = w.s AND ends_at = w.e`,
      spanColumns(limits),
    ),
  );
}

/** Reads one entry of an index for each limit, however many values there are. */
export const LARGEST_VALUES = `
  SELECT w.id, coalesce((SELECT max(v.amount) FROM value_window v
      WHERE v.limit_id = w.id AND v.starts_at = w.s AND v.ends_at = w.e), 0)::text AS amount
    FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS w(id, s, e)`;

/** The largest amount that one value has used of each limit on values. */
async function largestValues(
  db: EntityManager,
  limits: readonly Spanned[],
): Promise<Map<string, bigint>> {
  if (limits.length === 0) return new Map();
  return byId(await db.query(LARGEST_VALUES, spanColumns(limits)));
}

async function heldAmounts(
  db: EntityManager,
  kind: keyof typeof TABLES,
  limits: readonly Spanned[],
): Promise<Map<string, bigint>> {
  const { reservations, id, held } = TABLES[kind];
  return byId(
    await db.query(
      `SELECT r.${id} AS id, sum(r.${held})::text AS amount
         FROM unnest($1::uuid[], $2::timestamptz[]) AS w(id, s)
         JOIN ${reservations} r ON r.${id} = w.id AND r.window_starts_at = w.s
         JOIN budget_request q ON q.request_id = r.request_id AND q.state = 'HELD'
        GROUP BY r.${id}`,
      spanColumns(limits).slice(0, 2),
    ),
  );
}

const METRIC_SQL = Object.entries(METRIC_SUMS)
  .map(([metric, columns]) => `WHEN '${metric}' THEN ${columns.map((c) => `r.${c}`).join(' + ')}`)
  .join(' ');

/**
 * The totals of windows without a row, because nothing was booked since the limit was created. Full
 * hours are read from the hourly rollup, which stays cheap in a busy organisation; the parts at
 * both ends (zones off by half an hour, windows of minutes) from records.
 */
async function summedWindows(
  db: EntityManager,
  limits: readonly Spanned[],
): Promise<Map<string, bigint>> {
  const sums = new Map<string, bigint>();
  for (const scope of SCOPE_TYPES) {
    const wanted = limits.filter(({ scopeType }) => scopeType === scope);
    if (wanted.length === 0) continue;
    const found = await db.query(summedSql(scope), [
      ...spanColumns(wanted),
      wanted.map(({ metric }) => metric),
      wanted.map(({ scopeId }) => scopeId),
      wanted[0]?.organisationId,
    ]);
    for (const [id, amount] of byId(found)) sums.set(id, amount);
  }
  return sums;
}

function summedSql(scope: ScopeType): string {
  const sum = (source: string, instant: string, from: string, to: string): string =>
    `(SELECT coalesce(sum(CASE w.metric ${METRIC_SQL} END), 0) FROM ${source} r
       WHERE r.organisation_id = $6 AND r.${SCOPE_COLUMNS[scope]} = w.scope_id
         AND r.${instant} >= ${from} AND r.${instant} < ${to})`;
  const edges = ['usage_record', 'usage_adjustment'].flatMap((source) => [
    sum(source, 'authorised_at', 'w.s', 'w.first'),
    sum(source, 'authorised_at', 'w.last', 'w.e'),
  ]);
  // A span without a full hour has `first` and `last` at its end.
  return `WITH w AS (
      SELECT id, s, e, metric, scope_id,
        CASE WHEN up < down THEN up ELSE e END AS first,
        CASE WHEN up < down THEN down ELSE e END AS last
      FROM (SELECT *, date_trunc('hour', s + interval '3599.999999 seconds', 'UTC') AS up,
              date_trunc('hour', e, 'UTC') AS down
            FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[], $5::uuid[])
              AS spans(id, s, e, metric, scope_id)) AS whole
    )
    SELECT w.id, (${[sum('usage', 'hour', 'w.first', 'w.last'), ...edges].join(' + ')})::bigint::text
      AS amount FROM w`;
}

function spanColumns(limits: readonly Spanned[]): unknown[] {
  return [
    limits.map(({ id }) => id),
    limits.map(({ window }) => iso(window.startMs)),
    limits.map(({ window }) => iso(window.endMs)),
  ];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
