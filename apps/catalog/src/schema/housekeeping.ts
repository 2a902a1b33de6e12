import type { Clock, Logger } from '@tollgate/kit';
import type { Pool } from 'pg';

import { isDatabaseAway } from '../db/failure';
import { pruneOutbox } from '../outbox';
import { dropEmptyPartitions, ensurePartitions } from './partitions';

export interface HousekeepingDeps {
  pool: Pool;
  log: Logger;
  clock: Clock;
  /** Removes records after their organisation's retention period; implemented by the ledger. */
  retention?: (pool: Pool, clock: Clock) => Promise<readonly object[]>;
  intervalMs?: number;
}

const INTERVAL_MS = 600_000;
const DAY_MS = 86_400_000;
/** A watcher that was away for longer starts over. */
const OUTBOX_KEEP_MS = DAY_MS;
const ENDED_HOLDS_KEEP_DAYS = 30;
const SPENT_TOKENS_KEEP_DAYS = 7;
/** Reports of a window arrive at most a day after its end. */
const PASSED_WINDOWS_KEEP_DAYS = 7;
const ENDED_MAIL_KEEP_DAYS = 30;
/** After the end of its window: earlier, the same alert could be raised again. */
const ALERTS_KEEP_DAYS = 90;
const ALERT_TESTS_KEEP_DAYS = 7;
const REFUSED_KEEP_DAYS = 30;
/** After the key has expired. */
const PLAYGROUND_GRANTS_KEEP_DAYS = 1;
/** As long as a decision may be kept, and a day for time zones. */
const DECISION_DAYS_KEPT = 91;
/** Bounds the table under a flood; the rows that expire first are deleted first. */
const THROTTLES_KEPT = 200_000;

/** Rows that one statement deletes, where rows are large. */
const BATCH = 1_000;
/** Of a round; the next round deletes the rest. */
const MOST_BATCHES = 1_000;

interface CleanUp {
  readonly what: string;
  readonly sql: string;
  /** It deletes at most so many rows, and is repeated until there are fewer. */
  readonly batch?: number;
}

const CLEAN_UPS: readonly CleanUp[] = [
  {
    what: 'answers of idempotent requests',
    sql: 'DELETE FROM idempotency_key WHERE expires_at < now()',
  },
  {
    what: 'expired refresh tokens',
    sql: `DELETE FROM refresh_token
      WHERE expires_at < now() - make_interval(days => ${SPENT_TOKENS_KEEP_DAYS})`,
  },
  {
    what: 'expired password links',
    sql: 'DELETE FROM password_reset WHERE expires_at < now()',
  },
  {
    what: 'finished mail',
    sql: `DELETE FROM mail_outbox WHERE status <> 'PENDING'
      AND created_at < now() - make_interval(days => ${ENDED_MAIL_KEEP_DAYS})`,
  },
  {
    what: 'expired failed sign-ins',
    sql: 'DELETE FROM sign_in_throttle WHERE forget_at < now()',
  },
  {
    what: 'failed sign-ins over the limit',
    sql: `DELETE FROM sign_in_throttle WHERE forget_at <
      (SELECT forget_at FROM sign_in_throttle ORDER BY forget_at DESC
         OFFSET ${THROTTLES_KEPT} LIMIT 1)`,
  },
  {
    what: 'soft limits passed in past windows',
    sql: `DELETE FROM soft_limit_event
      WHERE window_ends_at < now() - make_interval(days => ${PASSED_WINDOWS_KEEP_DAYS})`,
  },
  {
    what: 'refusals past retention',
    sql: `DELETE FROM api_key_refusal r USING organisation o
      WHERE o.id = r.organisation_id AND o.retention_days IS NOT NULL
        AND r.last_at < now() - make_interval(days => o.retention_days)`,
  },
  {
    what: 'refused requests past retention',
    sql: `DELETE FROM refused_request r WHERE r.hour < now() - make_interval(days => least(
      ${REFUSED_KEEP_DAYS},
      (SELECT o.retention_days FROM organisation o WHERE o.id = r.organisation_id)))`,
  },
  {
    what: 'decisions past retention',
    sql: `DELETE FROM request_decision WHERE (organisation_id, request_id) IN (
      SELECT d.organisation_id, d.request_id FROM organisation o
      CROSS JOIN LATERAL (SELECT organisation_id, request_id FROM request_decision
        WHERE organisation_id = o.id AND decided_at
          < now() - make_interval(days => least(o.keep_decisions_days, o.retention_days))
        ORDER BY decided_at LIMIT ${BATCH}) AS d
      LIMIT ${BATCH})`,
    batch: BATCH,
  },
  {
    what: 'days of decisions',
    sql: `DELETE FROM request_decision_day
      WHERE day < current_date - ${DECISION_DAYS_KEPT}`,
  },
  {
    what: 'bodies past retention',
    sql: `DELETE FROM kept_body WHERE id IN (
      SELECT b.id FROM organisation o
      CROSS JOIN LATERAL (SELECT id FROM kept_body WHERE organisation_id = o.id AND at < greatest(
          now() - make_interval(days => least(o.kept_bodies_days, o.retention_days)),
          o.kept_bodies_from + interval '1 millisecond')
        ORDER BY at LIMIT ${BATCH}) AS b
      LIMIT ${BATCH})`,
    batch: BATCH,
  },
  {
    what: 'sums of bodies of past days',
    sql: 'DELETE FROM kept_body_day WHERE day < current_date - 2',
  },
  {
    what: 'alerts past retention',
    sql: `DELETE FROM alert a WHERE a.window_ends_at < now() - make_interval(days => least(
      ${ALERTS_KEEP_DAYS},
      (SELECT o.retention_days FROM organisation o WHERE o.id = a.organisation_id)))`,
  },
  {
    what: 'alerts on values of past windows',
    sql: `DELETE FROM alert_told_values
      WHERE window_ends_at < now() - make_interval(days => ${PASSED_WINDOWS_KEEP_DAYS})`,
  },
  {
    what: 'tests of alert destinations',
    sql: `DELETE FROM alert_delivery WHERE alert_id IS NULL
      AND created_at < now() - make_interval(days => ${ALERT_TESTS_KEEP_DAYS})`,
  },
  {
    what: 'model grants of expired playground keys',
    sql: deleteGrants('api_key_model_access', 'model_id'),
    batch: BATCH,
  },
  {
    what: 'MCP grants of expired playground keys',
    sql: deleteGrants('api_key_mcp_access', 'mcp_server_id'),
    batch: BATCH,
  },
  {
    what: 'ended holds',
    sql: `DELETE FROM budget_request WHERE state IN ('SETTLED', 'CANCELLED', 'RESOLVED')
      AND updated_at < now() - make_interval(days => ${ENDED_HOLDS_KEEP_DAYS})`,
  },
];

/** The console makes such a key every quarter of an hour. The key itself stays: records name it. */
function deleteGrants(table: string, granted: string): string {
  return `DELETE FROM ${table} WHERE (api_key_id, ${granted}) IN (
    SELECT a.api_key_id, a.${granted} FROM api_key k JOIN ${table} a ON a.api_key_id = k.id
    WHERE k.kind = 'PLAYGROUND'
      AND k.expires_at < now() - make_interval(days => ${PLAYGROUND_GRANTS_KEEP_DAYS})
    LIMIT ${BATCH})`;
}

/**
 * Creates partitions ahead of time and deletes expired rows: once before the service is ready, then
 * every ten minutes together with retention. Replicas may run it concurrently.
 */
export async function startHousekeeping(
  deps: HousekeepingDeps,
): Promise<{ stop(): Promise<void> }> {
  const { pool, log, clock } = deps;
  let running = Promise.resolve();
  let stopping = false;

  async function runCleanUps(mostBatches: number): Promise<void> {
    const made = await ensurePartitions(pool, clock);
    if (made.length > 0) log.info('partitions created', { partitions: made });
    const deleted: Record<string, number> = {
      'outbox events': await pruneOutbox(pool, OUTBOX_KEEP_MS),
    };
    for (const cleanUp of CLEAN_UPS) {
      deleted[cleanUp.what] = await run(pool, cleanUp, mostBatches, () => stopping);
    }
    log.debug('housekeeping done', { deleted });
  }

  async function removeExpired(): Promise<void> {
    const removals = (await deps.retention?.(pool, clock)) ?? [];
    if (removals.length > 0) log.info('expired usage records removed', { removals });
    const dropped = await dropEmptyPartitions(pool, clock);
    if (dropped.length > 0) log.info('partitions dropped', { partitions: dropped });
  }

  try {
    // The service is not ready before.
    await runCleanUps(1);
  } catch (error) {
    // A busy table can wait: partitions exist months ahead, and there is a default one.
    if (!isDatabaseAway(error)) throw error;
    log.warn('housekeeping postponed', { error });
  }
  const timer = setInterval(() => {
    running = runCleanUps(MOST_BATCHES)
      .then(removeExpired)
      .catch((error: unknown) => {
        log.error('housekeeping failed, retrying', { error });
      });
  }, deps.intervalMs ?? INTERVAL_MS);

  return {
    async stop() {
      clearInterval(timer);
      stopping = true;
      await running;
    },
  };
}

async function run(
  pool: Pool,
  { batch, sql }: CleanUp,
  mostBatches: number,
  isStopping: () => boolean,
): Promise<number> {
  let deleted = 0;
  for (let round = 0; round < mostBatches && !isStopping(); round += 1) {
    const { rowCount } = await pool.query(sql);
    deleted += rowCount ?? 0;
    if (batch === undefined || (rowCount ?? 0) < batch) break;
  }
  return deleted;
}
