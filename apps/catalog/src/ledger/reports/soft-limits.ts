import {
  formatUsd,
  isOneOf,
  isValueCounter,
  LIFETIME_END_MS,
  LIMIT_KINDS,
  LIMIT_SCOPES,
  limitIdOf,
  type LimitKind,
} from '@tollgate/contracts';
import type { SoftLimitPassed__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../../db';
import { arrayLiteral, insertStatement } from '../records/column-arrays';
import { isUuid } from '../records/entry-values';
import { LIFETIME_IDLE_MS } from '../retention/value-windows';
import { iso } from './report-values';

const MAX_REPORTED = 500;
/** Values of one limit that are told within an hour. */
const VALUES_AN_HOUR = 20;

/** Target types in the audit trail, by kind of limit. A rate limit's part ends in its suffix. */
const TARGETS: Readonly<Record<LimitKind, string>> = {
  BUDGET: 'budget',
  QUOTA: 'quota',
  RATE_REQUESTS: 'rate-limit',
  RATE_TOKENS: 'rate-limit',
  RATE_CONCURRENT: 'rate-limit',
};

const insertEvents = insertStatement<SoftLimitPassed__Output>(
  'ledger-soft-limits',
  'soft_limit_event',
  [
    ['limit_id', 'text', (row) => row.limitId],
    ['window_starts_at', 'timestamptz', (row) => iso(row.windowStartMs)],
    ['window_ends_at', 'timestamptz', (row) => iso(keptUntil(row))],
    ['organisation_id', 'uuid', (row) => row.organisationId],
  ],
  'ON CONFLICT DO NOTHING RETURNING limit_id, window_starts_at',
);

const insertTrail = insertStatement<SoftLimitPassed__Output>(
  'ledger-soft-limit-trail',
  'audit_event',
  [
    ['id', 'uuid', () => uuidv7()],
    ['organisation_id', 'uuid', (row) => row.organisationId],
    ['actor_kind', 'text', () => 'SYSTEM'],
    ['action', 'text', () => 'limit.soft_exceeded'],
    ['target_type', 'text', (row) => TARGETS[kindOf(row)]],
    ['target_id', 'text', (row) => row.limitId.slice(0, 36)],
    ['details', 'jsonb', (row) => JSON.stringify({ after: detailsOf(row) })],
  ],
);

/**
 * Writes one audit event for each limit and window that was not yet known to be passed. The
 * window's row makes it idempotent across replicas. Returns the number of events written.
 */
export async function reportSoftLimits(
  pool: Pool,
  passed: readonly SoftLimitPassed__Output[],
): Promise<number> {
  if (passed.length > MAX_REPORTED) throw new RangeError(`at most ${MAX_REPORTED} at a time`);
  for (const one of passed) check(one);
  // Sorted by key, so that two replicas cannot deadlock.
  const rows = [...new Map(passed.map((one) => [keyOf(one), one]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
  if (rows.length === 0) return 0;
  return inTransaction(pool, async (tx) => {
    const told = await boundValues(tx, rows);
    if (told.length === 0) return 0;
    const { rows: made } = await tx.query<{ limit_id: string; window_starts_at: Date }>(
      insertEvents(told),
    );
    const fresh = new Set(
      made.map((row) => `${row.limit_id}/${row.window_starts_at.toISOString()}`),
    );
    const news = told.filter((row) => fresh.has(keyOf(row)));
    if (news.length > 0) await tx.query(insertTrail(news));
    return news.length;
  });
}

/**
 * Without the values of limits that have told enough of them within an hour: a million values would be a million events.
 * Reports that arrive at once may tell a few more. The bounds of the ids are for the index, in any collation.
 */
async function boundValues(
  tx: Tx,
  rows: readonly SoftLimitPassed__Output[],
): Promise<readonly SoftLimitPassed__Output[]> {
  const limits = [...new Set(rows.filter(({ limitId }) => isValueCounter(limitId)).map(limitOf))];
  if (limits.length === 0) return rows;
  const { rows: counts } = await tx.query<{ id: string; told: number }>({
    name: 'ledger-soft-limit-values',
    text: `SELECT w.id, (SELECT count(*)::integer FROM (SELECT FROM soft_limit_event e
        WHERE e.limit_id >= w.id AND e.limit_id < greatest(w.id || 'z', w.id || '~~')
          AND starts_with(e.limit_id, w.id || '~') AND e.created_at > now() - interval '1 hour'
        LIMIT ${VALUES_AN_HOUR}) AS recent) AS told
      FROM unnest($1::text[]) AS w(id)`,
    values: [arrayLiteral(limits)],
  });
  const left = new Map(counts.map(({ id, told }) => [id, VALUES_AN_HOUR - told]));
  return rows.filter((row) => {
    if (!isValueCounter(row.limitId)) return true;
    const more = left.get(limitOf(row)) ?? 0;
    left.set(limitOf(row), more - 1);
    return more > 0;
  });
}

const limitOf = ({ limitId }: SoftLimitPassed__Output): string => limitIdOf(limitId);

/** A lifetime has no end: it is told again when its total may have been forgotten. */
const keptUntil = ({ windowEndMs, atMs }: SoftLimitPassed__Output): number =>
  windowEndMs === LIFETIME_END_MS ? atMs + LIFETIME_IDLE_MS : windowEndMs;

function keyOf({ limitId, windowStartMs }: SoftLimitPassed__Output): string {
  return `${limitId}/${iso(windowStartMs)}`;
}

function check(one: SoftLimitPassed__Output): void {
  const fail = (field: string): never => {
    throw new RangeError(`limit ${one.limitId}: ${field} cannot be stored`);
  };
  if (!/^[0-9a-f-]{36}(?::[a-z]+)?(?:~[a-z][\w-]{22})?$/.test(one.limitId)) fail('limit_id');
  if (!isUuid(one.limitId.slice(0, 36))) fail('limit_id');
  if (!isUuid(one.organisationId)) fail('organisation_id');
  if (!isOneOf(LIMIT_SCOPES, one.scopeType)) fail('scope_type');
  if (!isUuid(one.scopeId)) fail('scope_id');
  if (one.requestId !== '' && !isUuid(one.requestId)) fail('request_id');
  kindOf(one);
  const instants = [one.windowStartMs, one.windowEndMs, one.atMs];
  const sound = instants.every((ms) => Number.isSafeInteger(ms) && ms >= 0 && ms < 8.64e15);
  if (!sound || one.windowStartMs >= one.windowEndMs) fail('window');
  for (const amount of [one.limit, one.settled, one.held]) {
    if (!/^-?\d{1,19}$/.test(amount)) fail('amount');
  }
}

function kindOf({ limitId, kind }: SoftLimitPassed__Output): LimitKind {
  if (isOneOf(LIMIT_KINDS, kind)) return kind;
  throw new RangeError(`limit ${limitId}: kind cannot be stored`);
}

/** Money in US dollars, everything else a count. */
function detailsOf(one: SoftLimitPassed__Output): Record<string, unknown> {
  const amount = (text: string): string | number =>
    one.metric === 'COST' ? formatUsd(BigInt(text)) : Number(text);
  return {
    kind: one.kind,
    metric: one.metric === '' ? null : one.metric,
    scope: { type: one.scopeType, id: one.scopeId },
    windowStart: iso(one.windowStartMs),
    windowEnd: iso(one.windowEndMs),
    limit: amount(one.limit),
    settled: amount(one.settled),
    held: amount(one.held),
    at: iso(one.atMs),
    requestId: one.requestId === '' ? null : one.requestId,
  };
}
