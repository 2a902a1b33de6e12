import { isOneOf, UPSTREAM_STATES } from '@tollgate/contracts';
import type { UpstreamChange__Output } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { isUuid } from '../records/entry-values';
import { isInstant, iso } from './report-values';

const MAX_REPORTED = 500;
const REASON_MAX = 100;

const isoOrNull = (ms: number): string | null => (ms === 0 ? null : iso(ms));

// Leaves out models and providers that the organisation does not have (any more).
const STORE = `
  INSERT INTO upstream_state (organisation_id, provider_id, model_id, state, reason, changed_at,
    open_until, expires_at, cooldown_until, attempts, failures)
  SELECT u.organisation_id, u.provider_id, u.model_id, u.state, u.reason, u.changed_at,
    u.open_until, u.expires_at, u.cooldown_until, u.attempts, u.failures
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[],
      $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::bigint[], $11::bigint[])
    AS u(organisation_id, provider_id, model_id, state, reason, changed_at, open_until, expires_at,
      cooldown_until, attempts, failures)
  JOIN model m ON m.organisation_id = u.organisation_id AND m.id = u.model_id
  JOIN provider p ON p.organisation_id = u.organisation_id AND p.id = u.provider_id
  ON CONFLICT (model_id, provider_id) DO UPDATE SET
    state = excluded.state, reason = excluded.reason, changed_at = excluded.changed_at,
    open_until = excluded.open_until, expires_at = excluded.expires_at,
    cooldown_until = excluded.cooldown_until, attempts = excluded.attempts,
    failures = excluded.failures
  WHERE upstream_state.changed_at < excluded.changed_at
  RETURNING model_id`;

/** Stores the newest change of each upstream. Returns how many rows changed. */
export async function storeUpstreamStates(
  pool: Pool,
  changes: readonly UpstreamChange__Output[],
): Promise<number> {
  if (changes.length > MAX_REPORTED) throw new RangeError(`at most ${MAX_REPORTED} at a time`);
  for (const change of changes) check(change);
  // Sorted by key, so that two replicas cannot deadlock; the newest change of each upstream.
  const latest = new Map<string, UpstreamChange__Output>();
  for (const change of changes) {
    const key = `${change.modelId} ${change.providerId}`;
    if ((latest.get(key)?.atMs ?? -1) < change.atMs) latest.set(key, change);
  }
  const rows = [...latest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
  if (rows.length === 0) return 0;
  const { rowCount } = await pool.query({
    name: 'ledger-report-upstreams',
    text: STORE,
    values: [
      rows.map((row) => row.organisationId),
      rows.map((row) => row.providerId),
      rows.map((row) => row.modelId),
      rows.map((row) => row.state),
      rows.map((row) => row.reason),
      rows.map((row) => isoOrNull(row.atMs)),
      rows.map((row) => isoOrNull(row.untilMs)),
      rows.map((row) => isoOrNull(row.expiresAtMs)),
      rows.map((row) => isoOrNull(row.cooldownUntilMs)),
      rows.map((row) => row.attempts),
      rows.map((row) => row.failures),
    ],
  });
  return rowCount ?? 0;
}

function check(change: UpstreamChange__Output): void {
  const fail = (field: string): never => {
    throw new RangeError(`upstream ${change.modelId}: ${field} cannot be stored`);
  };
  if (!isUuid(change.organisationId)) fail('organisation_id');
  if (!isUuid(change.providerId)) fail('provider_id');
  if (!isUuid(change.modelId)) fail('model_id');
  if (!isOneOf(UPSTREAM_STATES, change.state)) fail('state');
  if (change.reason.length > REASON_MAX) fail('reason');
  const { atMs, untilMs, expiresAtMs, cooldownUntilMs, attempts, failures } = change;
  for (const [field, ms] of Object.entries({ atMs, untilMs, expiresAtMs, cooldownUntilMs })) {
    if (!isInstant(ms)) fail(field);
  }
  for (const [field, count] of Object.entries({ attempts, failures })) {
    if (!Number.isSafeInteger(count) || count < 0) fail(field);
  }
  if (atMs === 0) fail('at_ms');
}
