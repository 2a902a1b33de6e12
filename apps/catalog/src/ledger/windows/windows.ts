import { SCOPE_TYPES, type ScopeType } from '@tollgate/contracts';

import type { Tx } from '../../db';
import { METRIC_SUMS } from '../records/amounts';
import { arrayLiteral, columnSource, instantText } from '../records/column-arrays';
import type { BookedLimit } from './matching-limits';

/** The window [startMs, endMs) of one limit. */
export interface WindowSpan {
  limitId: string;
  startMs: number;
  endMs: number;
}
export type WindowRow = WindowSpan & { total: bigint };

const TABLES = {
  BUDGET: { limits: 'budget', windows: 'budget_window', id: 'budget_id', total: 'spent_nano_usd' },
  QUOTA: { limits: 'quota', windows: 'quota_window', id: 'quota_id', total: 'used' },
} as const;
export type WindowKind = keyof typeof TABLES;
export const WINDOW_KINDS = Object.keys(TABLES) as WindowKind[];

/** The column of records and adjustments that holds a scope's id. Each is indexed. */
export const SCOPE_COLUMNS: Readonly<Record<ScopeType, string>> = {
  ORGANISATION: 'organisation_id',
  TEAM: 'team_id',
  USER: 'user_id',
  API_KEY: 'api_key_id',
  MODEL: 'model_id',
  MCP_SERVER: 'mcp_server_id',
};

/** SQL: cases of a metric with the sum of its columns in `r`. */
export const SUM_OF_METRIC = Object.entries(METRIC_SUMS)
  .map(([metric, columns]) => `WHEN '${metric}' THEN ${columns.map((c) => `r.${c}`).join(' + ')}`)
  .join(' ');

/** SQL: the instant from which a window's records exist; retention has removed older ones. */
const KEPT_FROM = `greatest(w.starts_at, coalesce((SELECT u.records_from FROM usage_removed u
  WHERE u.organisation_id = l.organisation_id), w.starts_at))`;

/**
 * SQL: the sum of a source's rows in a limit's scope and window. `l` is the limit, `w` the window.
 */
function sumOver(
  source: 'usage_record' | 'usage_adjustment' | 'usage',
  kind: WindowKind,
  scope: ScopeType,
): string {
  const amount = kind === 'BUDGET' ? 'r.cost_nano_usd' : `CASE l.metric ${SUM_OF_METRIC} END`;
  const span =
    source === 'usage'
      ? `r.hour >= w.starts_at AND r.hour < least(w.ends_at, ${KEPT_FROM})`
      : `r.authorised_at >= ${KEPT_FROM} AND r.authorised_at < w.ends_at`;
  return `(SELECT coalesce(sum(${amount}), 0) FROM ${source} r
    WHERE r.organisation_id = l.organisation_id AND r.${SCOPE_COLUMNS[scope]} = l.scope_id
      AND ${span})`;
}

/**
 * SQL: the correct total of a window: records and adjustments, and for the time that retention has
 * removed, the hourly rollup.
 */
export function correctTotalOf(kind: WindowKind, scope: ScopeType): string {
  return `(${sumOver('usage_record', kind, scope)}
    + ${sumOver('usage_adjustment', kind, scope)}
    + ${sumOver('usage', kind, scope)})::bigint`;
}

/** The window rows of these limits that overlap the span from the first to the last instant. */
export async function windowsBetween(
  tx: Tx,
  limitIds: readonly string[],
  firstMs: number,
  lastMs: number,
): Promise<WindowRow[]> {
  const { rows } = await tx.query<StoredWindow>({
    name: 'ledger-windows-between',
    text: WINDOW_KINDS.map((kind) => {
      const { windows, id, total } = TABLES[kind];
      return `SELECT ${id} AS limit_id, starts_at, ends_at, ${total} AS total FROM ${windows}
        WHERE ${id} = ANY($1::uuid[]) AND starts_at <= $3 AND ends_at > $2`;
    }).join(' UNION ALL '),
    values: [arrayLiteral(limitIds), instantText(firstMs), instantText(lastMs)],
  });
  return rows.map(windowRow);
}

/** The window rows with exactly these spans. */
export async function findWindows(tx: Tx, spans: readonly WindowSpan[]): Promise<WindowRow[]> {
  const { rows } = await tx.query<StoredWindow>({
    name: 'ledger-find-windows',
    text: WINDOW_KINDS.map((kind) => {
      const { windows, id, total } = TABLES[kind];
      return `SELECT ${id} AS limit_id, starts_at, ends_at, ${total} AS total
        FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS w(id, s, e)
        JOIN ${windows} ON ${id} = w.id AND starts_at = w.s AND ends_at = w.e`;
    }).join(' UNION ALL '),
    values: spanColumns(spans),
  });
  return rows.map(windowRow);
}

type Addition = WindowSpan & { amount: bigint };

const added = columnSource<Addition>('w', [
  ['id', 'uuid', (addition) => addition.limitId],
  ['starts', 'timestamptz', (addition) => instantText(addition.startMs)],
  ['ends', 'timestamptz', (addition) => instantText(addition.endMs)],
  ['amount', 'bigint', (addition) => addition.amount],
]);

/**
 * Adds to existing window rows of one kind. The caller holds the shard's row lock, so nobody else
 * adds.
 */
export async function addToWindows(
  tx: Tx,
  kind: WindowKind,
  additions: readonly Addition[],
): Promise<void> {
  const some = additions.filter(({ amount }) => amount !== 0n);
  if (some.length === 0) return;
  const { windows, id, total } = TABLES[kind];
  // The redundant condition on ids makes the planner use the index for any number of rows.
  await tx.query({
    name: `ledger-add-${windows}`,
    text: `UPDATE ${windows} SET ${total} = ${total} + ${added.value('amount')}, updated_at = now()
      FROM ${added.from}
      WHERE ${id} = ANY($1::uuid[]) AND ${id} = ${added.value('id')}
        AND starts_at = ${added.value('starts')} AND ends_at = ${added.value('ends')}`,
    values: added.values(some),
  });
}

/**
 * Inserts missing window rows, summed from records and adjustments. The caller holds the shard's
 * row lock, so nothing is booked meanwhile. A limit deleted meanwhile gets no row.
 */
export async function createWindows(
  tx: Tx,
  limits: readonly BookedLimit[],
  spans: readonly WindowSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  const byId = new Map(limits.map((limit) => [limit.limitId, limit]));
  for (const kind of WINDOW_KINDS) {
    for (const scope of SCOPE_TYPES) {
      const wanted = spans.filter((span) => {
        const limit = byId.get(span.limitId);
        return limit?.kind === kind && limit.scopeType === scope;
      });
      if (wanted.length > 0) await createWindowsOf(tx, kind, scope, wanted);
    }
  }
}

async function createWindowsOf(
  tx: Tx,
  kind: WindowKind,
  scope: ScopeType,
  spans: readonly WindowSpan[],
): Promise<void> {
  const table = TABLES[kind];
  await tx.query({
    name: `ledger-create-${table.windows}-${scope}`,
    text: `WITH l AS MATERIALIZED (
        SELECT * FROM ${table.limits} WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE
      )
      INSERT INTO ${table.windows} (${table.id}, organisation_id, starts_at, ends_at, ${table.total})
      SELECT l.id, l.organisation_id, w.starts_at, w.ends_at, ${correctTotalOf(kind, scope)}
      FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS w(id, starts_at, ends_at)
      JOIN l ON l.id = w.id
      ON CONFLICT DO NOTHING`,
    values: spanColumns(spans),
  });
}

/**
 * Window rows whose total differs from the sum of records and adjustments. Windows that began
 * before retention's cut are skipped: their hourly rows may follow another time zone.
 */
export async function findWindowBreaches(
  tx: Tx,
  limit: number,
): Promise<(WindowRow & { kind: WindowKind; organisationId: string; truth: bigint })[]> {
  const parts = WINDOW_KINDS.flatMap((kind) =>
    SCOPE_TYPES.map((scope) => {
      const { limits, windows, id, total } = TABLES[kind];
      return `SELECT '${kind}' AS kind, w.${id} AS limit_id, l.organisation_id, w.starts_at,
          w.ends_at, w.${total} AS total, ${correctTotalOf(kind, scope)} AS truth
        FROM ${windows} w JOIN ${limits} l ON l.id = w.${id} AND l.scope_type = '${scope}'
        WHERE NOT EXISTS (SELECT FROM usage_removed u
          WHERE u.organisation_id = l.organisation_id AND u.records_from > w.starts_at)`;
    }),
  );
  const { rows } = await tx.query<
    StoredWindow & { kind: WindowKind; organisation_id: string; truth: bigint }
  >(
    `SELECT * FROM (${parts.join(' UNION ALL ')}) AS windows
     WHERE total <> truth ORDER BY limit_id, starts_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    ...windowRow(row),
    kind: row.kind,
    organisationId: row.organisation_id,
    truth: row.truth,
  }));
}

interface StoredWindow {
  limit_id: string;
  starts_at: Date;
  ends_at: Date;
  total: bigint;
}

function windowRow(row: StoredWindow): WindowRow {
  return {
    limitId: row.limit_id,
    startMs: row.starts_at.getTime(),
    endMs: row.ends_at.getTime(),
    total: row.total,
  };
}

function spanColumns(spans: readonly WindowSpan[]): string[] {
  return [
    arrayLiteral(spans.map((span) => span.limitId)),
    arrayLiteral(spans.map((span) => instantText(span.startMs))),
    arrayLiteral(spans.map((span) => instantText(span.endMs))),
  ];
}
