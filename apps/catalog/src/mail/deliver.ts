import { setTimeout as pause } from 'node:timers/promises';
import type { KeyRing } from '@tollgate/contracts/node';
import { doublingDelay, withDeadline, type Clock, type Logger, type Metrics } from '@tollgate/kit';
import type { Pool } from 'pg';
import { z } from 'zod';

import { isDatabaseAway } from '../db/failure';
import { MAIL_KINDS } from '../entities/mail-outbox.entity';
import { writeLetter } from './letters';
import { openContent } from './outbox';
import { faultOf, SEND_TIMEOUT_MS, type SendMail } from './smtp';

export interface DeliveryDeps {
  readonly pool: Pool;
  readonly ring: KeyRing;
  readonly send: SendMail;
  readonly log: Logger;
  readonly clock: Clock;
  /** Called after every attempt. */
  readonly onAttempt?: (outcome: Outcome) => void;
}

export type Outcome = 'SENT' | 'RETRY' | 'FAILED';

/** A lease on a letter outlasts the longest attempt to send it. */
const LEASE_MS = 2 * SEND_TIMEOUT_MS;
const MAX_ATTEMPTS = 8;
/** After a number of attempts. */
export const retryAfterMs = doublingDelay(30_000, 3_600_000);
const IDLE_MS = 1_000;

const taken = z.object({
  id: z.string(),
  kind: z.enum(MAIL_KINDS),
  recipient: z.string(),
  sealed: z.unknown(),
  attempts: z.int(),
  expires_at: z.date(),
});

/**
 * Delivers the letter that is due first; undefined when none is due. Replicas never take the same
 * one.
 */
export async function deliverNext(deps: DeliveryDeps): Promise<Outcome | undefined> {
  const { pool, clock } = deps;
  const nowMs = clock.now();
  const { rows } = await pool.query(
    `UPDATE mail_outbox SET attempts = attempts + 1, next_attempt_at = $2
      WHERE id = (SELECT id FROM mail_outbox WHERE status = 'PENDING' AND next_attempt_at <= $1
                   ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, kind, recipient, sealed, attempts, expires_at`,
    [new Date(nowMs), new Date(nowMs + LEASE_MS)],
  );
  if (rows[0] === undefined) return undefined;
  const letter = taken.parse(rows[0]);
  const outcome = await attempt(deps, letter, nowMs);
  deps.onAttempt?.(outcome);
  return outcome;
}

async function attempt(
  deps: DeliveryDeps,
  letter: z.output<typeof taken>,
  nowMs: number,
): Promise<Outcome> {
  const { log, ring, send } = deps;
  const { id, kind, recipient, attempts } = letter;
  if (letter.expires_at.getTime() <= nowMs) {
    log.error('mail given up: its link expired', { mailId: id, kind, attempts });
    await end(deps.pool, id, 'FAILED', 'the link expired before the mail could be sent', nowMs);
    return 'FAILED';
  }
  try {
    const written = writeLetter(kind, openContent(ring, letter));
    const sending = send({ ...written, id, to: recipient });
    await withDeadline(sending, SEND_TIMEOUT_MS, 'the mail server');
  } catch (error) {
    const { text, permanent } = faultOf(error);
    const final = permanent || attempts >= MAX_ATTEMPTS;
    const about = { mailId: id, kind, attempts, fault: text };
    if (final) {
      log.error('mail given up: it could not be sent', about);
      await end(deps.pool, id, 'FAILED', text, nowMs);
      return 'FAILED';
    }
    log.warn('mail not sent, retrying', about);
    await deps.pool.query(
      'UPDATE mail_outbox SET next_attempt_at = $2, last_error = $3 WHERE id = $1',
      [id, new Date(nowMs + retryAfterMs(attempts)), text],
    );
    return 'RETRY';
  }
  await end(deps.pool, id, 'SENT', null, nowMs);
  return 'SENT';
}

/** Deletes the content, because it holds a link that is no longer needed. */
async function end(
  pool: Pool,
  id: string,
  status: 'SENT' | 'FAILED',
  error: string | null,
  nowMs: number,
): Promise<void> {
  await pool.query(
    `UPDATE mail_outbox SET status = $2, last_error = $3, sealed = NULL,
            sent_at = CASE WHEN $2 = 'SENT' THEN $4::timestamptz END
      WHERE id = $1`,
    [id, status, error, new Date(nowMs)],
  );
}

/** Delivers due letters one by one in the background. `stop` waits for the current one. */
export function startMail(
  deps: Omit<DeliveryDeps, 'onAttempt'> & { metrics: Metrics; idleMs?: number },
): { stop(): Promise<void> } {
  const { metrics, idleMs = IDLE_MS, ...rest } = deps;
  const attempts = metrics.counter('tollgate_mail_attempts_total', 'Attempts to send a mail.', [
    'outcome',
  ]);
  const stopping = new AbortController();

  async function step(): Promise<boolean> {
    try {
      const onAttempt = (outcome: Outcome): void => attempts.inc({ outcome });
      return (await deliverNext({ ...rest, onAttempt })) !== undefined;
    } catch (error) {
      if (isDatabaseAway(error)) rest.log.debug('mail waits for the database', { error });
      else rest.log.error('mail delivery failed, retrying', { error });
      return false;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (await step()) continue;
      await pause(idleMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
