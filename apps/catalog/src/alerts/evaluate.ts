import type { Logger } from '@tollgate/kit';
import type { Pool } from 'pg';
import { z } from 'zod';

import { inTransaction } from '../db';
import { CANDIDATE_STATEMENTS, candidatesOf } from './candidates';
import { ledgerCandidates } from './ledger-candidates';
import { lockRaising, raise } from './raise';
import { iso, spansAt, zonesWithRules } from './spans';

/** Alerts of one transaction, and transactions of one kind of rule in one evaluation. */
const BATCH = 1_000;
const MAX_BATCHES = 50;
/** A statement that takes longer is ended; the next evaluation tries again. */
const LIMITS = { statementMs: 20_000, lockMs: 10_000 };

export interface EvaluationDeps {
  readonly pool: Pool;
  readonly log: Logger;
}

/** Whether it is this process's turn: rules are evaluated once in an interval by all catalogs. */
export async function takeTurn(pool: Pool, intervalMs: number, nowMs: number): Promise<boolean> {
  // A start in the future is that of a clock which was wrong, and holds nobody up.
  const { rowCount } = await pool.query(
    `INSERT INTO alert_evaluation AS e (id, started_at) VALUES (1, $1)
     ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at
       WHERE e.started_at <= $2 OR e.started_at > $3`,
    [iso(nowMs), iso(nowMs - intervalMs), iso(nowMs + intervalMs)],
  );
  return rowCount === 1;
}

const lastRow = z.array(z.object({ startedAt: z.date() }));

/** When any catalog last evaluated the rules; undefined before the first time. */
export async function lastEvaluationMs(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query('SELECT started_at AS "startedAt" FROM alert_evaluation');
  return lastRow.parse(rows)[0]?.startedAt.getTime();
}

/**
 * Raises every alert that is due, and returns how many by kind. Any number of catalogs may do it at
 * once. A kind that fails is logged and does not keep the others from being evaluated.
 */
export async function evaluate(
  { pool, log }: EvaluationDeps,
  nowMs: number,
): Promise<Map<string, number>> {
  const raised = new Map<string, number>();
  const spans = spansAt(await zonesWithRules(pool), nowMs);
  const failures: unknown[] = [];
  for (const statement of CANDIDATE_STATEMENTS) {
    const { kind } = statement;
    try {
      let count = 0;
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const fresh = await inTransaction(
          pool,
          async (tx) => {
            await lockRaising(tx);
            return raise(tx, await candidatesOf(tx, statement, spans, BATCH), nowMs);
          },
          'READ COMMITTED',
          LIMITS,
        );
        count += fresh;
        if (fresh < BATCH) break;
      }
      if (count > 0) raised.set(kind, (raised.get(kind) ?? 0) + count);
    } catch (error) {
      log.error('alert rules could not be evaluated', { kind, error });
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'alert rules failed');
  return raised;
}

/**
 * Raises alerts of the ledger. Each catalog does it for itself, because each knows only its own
 * lag.
 */
export async function evaluateLedger(
  { pool }: Pick<EvaluationDeps, 'pool'>,
  lagSeconds: number,
  nowMs: number,
): Promise<number> {
  const found = await ledgerCandidates(pool, lagSeconds, nowMs);
  if (found.length === 0) return 0;
  return inTransaction(
    pool,
    async (tx) => {
      await lockRaising(tx);
      return raise(tx, found, nowMs);
    },
    'READ COMMITTED',
    LIMITS,
  );
}
