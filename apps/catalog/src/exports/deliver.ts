import { randomUUID } from 'node:crypto';
import { rest } from '@tollgate/contracts';
import {
  exportSecretContext,
  openSecret,
  type AddressRules,
  type KeyRing,
} from '@tollgate/contracts/node';
import { doublingDelay, uuidv7, type Clock, type Logger } from '@tollgate/kit';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

import { inTransaction, isDatabaseAway, type Tx } from '../db';
import {
  CounterWentBack,
  holdLease,
  LeaseLost,
  planBatch,
  type Leased,
  type Planned,
  type RecordReaders,
} from './plan-batch';
import { send, SEND_TIMEOUT_MS, type SendOutcome } from './send';

export interface ExportDeps {
  readonly orm: DataSource;
  readonly pool: Pool;
  readonly readers: RecordReaders;
  readonly ring: KeyRing;
  readonly addressRules: AddressRules;
  readonly log: Logger;
  readonly clock: Clock;
  /** Called after every attempt to deliver. */
  readonly onAttempt?: (attempt: Attempt) => void;
}

export interface Attempt {
  readonly target: rest.ExportTarget['type'];
  readonly record: rest.ExportRecord;
  readonly rows: number;
  readonly outcome: 'DELIVERED' | 'FAILED';
}

/** LOST: the lease ended meanwhile, and another worker delivers the batch again. */
export type Step = 'DELIVERED' | 'FAILED' | 'IDLE' | 'LOST';

/** Outlasts planning and sending, so that no two workers deliver for one destination. */
const LEASE_MS = 4 * SEND_TIMEOUT_MS;
const LONGEST_RETRY_MS = 3_600_000;
/** After a number of failures. */
export const retryAfterMs = doublingDelay(10_000, LONGEST_RETRY_MS);
/** A destination that fails for this long is disabled. */
export const DISABLE_AFTER_MS = 7 * 86_400_000;
const GONE = 410;

interface Taken extends Leased {
  readonly name: string;
  readonly failures: number;
  readonly secret_key_id: string;
  readonly secret_nonce: Buffer;
  readonly secret_ciphertext: Buffer;
  readonly secret_tag: Buffer;
}

/**
 * One step of the destination that is due first: plans a batch or finds the pending one, delivers it,
 * and notes the outcome. Undefined when none is due. Replicas never work on the same destination.
 */
export async function exportNext(deps: ExportDeps): Promise<Step | undefined> {
  const destination = await take(deps);
  if (destination === undefined) return undefined;
  try {
    return await deliver(deps, destination);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    deps.log.warn('export step lost its lease, another worker repeats it', about(destination));
    return 'LOST';
  }
}

async function take({ pool, clock }: ExportDeps): Promise<Taken | undefined> {
  const nowMs = clock.now();
  const { rows } = await pool.query<Taken>(
    `UPDATE export_destination SET lease = $3, next_attempt_at = $2
      WHERE id = (SELECT id FROM export_destination
                   WHERE status = 'ACTIVE' AND next_attempt_at <= $1
                   ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, organisation_id, name, target, max_rows, interval_seconds, lease, failures,
        secret_key_id, secret_nonce, secret_ciphertext, secret_tag`,
    [new Date(nowMs), new Date(nowMs + LEASE_MS), randomUUID()],
  );
  return rows[0];
}

async function deliver(deps: ExportDeps, destination: Taken): Promise<Step> {
  const { clock, addressRules } = deps;
  let batch: Planned | undefined;
  try {
    batch = await planBatch(deps, destination, clock.now());
    if (batch === undefined) {
      await noteIdle(deps, destination);
      return 'IDLE';
    }
  } catch (error) {
    if (error instanceof LeaseLost || isDatabaseAway(error)) throw error;
    deps.log.error('export batch could not be made', { ...about(destination), error });
    const known = error instanceof CounterWentBack;
    const message = known ? error.message : 'The batch could not be made. The log has the reason.';
    await noteFailure(deps, destination, undefined, failed(message));
    return 'FAILED';
  }
  await beginAttempt(deps, destination, batch);
  const secret = secretOf(deps.ring, destination);
  const outcome =
    secret === undefined
      ? failed('The stored secret cannot be opened: its key is not in KEY_ENCRYPTION_KEYS.')
      : await send(
          destination.target,
          secret,
          {
            id: batch.id,
            number: batch.number,
            record: batch.record,
            rows: batch.row_count,
            createdAt: batch.created_at,
            compressed: batch.compressed,
            body: batch.payload,
          },
          { addressRules, nowMs: clock.now() },
        );
  if (outcome.ok) await noteSuccess(deps, destination, batch, outcome.status);
  else await noteFailure(deps, destination, batch, outcome);
  deps.onAttempt?.({
    target: destination.target.type,
    record: batch.record,
    rows: batch.row_count,
    outcome: outcome.ok ? 'DELIVERED' : 'FAILED',
  });
  return outcome.ok ? 'DELIVERED' : 'FAILED';
}

function secretOf(ring: KeyRing, row: Taken): string | undefined {
  const sealed = {
    keyId: row.secret_key_id,
    nonce: row.secret_nonce,
    ciphertext: row.secret_ciphertext,
    tag: row.secret_tag,
  };
  try {
    return openSecret(ring, sealed, exportSecretContext(row.id));
  } catch {
    return undefined;
  }
}

const failed = (message: string): Extract<SendOutcome, { ok: false }> => ({
  ok: false,
  status: null,
  message,
  retryAfterMs: null,
});

/** Counts the attempt before it is made, and gives it a whole lease. */
function beginAttempt(
  { pool, clock }: ExportDeps,
  destination: Taken,
  batch: Planned,
): Promise<void> {
  return inTransaction(pool, async (tx) => {
    await holdLease(tx, destination);
    await tx.query('UPDATE export_destination SET next_attempt_at = $2 WHERE id = $1', [
      destination.id,
      new Date(clock.now() + LEASE_MS),
    ]);
    await tx.query('UPDATE export_batch SET attempts = attempts + 1 WHERE id = $1', [batch.id]);
  });
}

/** Ends a step without a batch: the next one is due with the first kind of record. */
function noteIdle({ pool, clock }: ExportDeps, destination: Taken): Promise<void> {
  return inTransaction(pool, async (tx) => {
    await holdLease(tx, destination);
    await tx.query(
      `UPDATE export_destination SET lease = NULL, failures = 0, failing_since = NULL,
          next_attempt_at = ${nextDue('$2')}
        WHERE id = $1`,
      [destination.id, new Date(clock.now())],
    );
  });
}

/** SQL: when the first kind is due; `now` when none has rows to come. */
const nextDue = (now: string): string =>
  `coalesce((SELECT min(due_at) FROM export_cursor WHERE destination_id = $1), ${now}::timestamptz)`;

function noteSuccess(
  { pool, clock, log }: ExportDeps,
  destination: Taken,
  batch: Planned,
  status: number,
): Promise<void> {
  const now = new Date(clock.now());
  log.debug('export batch delivered', { ...about(destination), ...aboutBatch(batch) });
  return inTransaction(pool, async (tx) => {
    await holdLease(tx, destination);
    await tx.query(
      `UPDATE export_batch SET status = 'DELIVERED', payload = NULL, delivered_at = $2,
          last_status = $3, last_error = NULL
        WHERE id = $1`,
      [batch.id, now, status],
    );
    await tx.query(
      `UPDATE export_destination SET lease = NULL, failures = 0, failing_since = NULL,
          last_delivered_at = $2, delivered_batches = delivered_batches + 1,
          delivered_rows = delivered_rows + $3, next_attempt_at = ${nextDue('$2')}
        WHERE id = $1`,
      [destination.id, now, batch.row_count],
    );
    await tx.query('DELETE FROM export_batch WHERE destination_id = $1 AND number <= $2', [
      destination.id,
      batch.number - BigInt(rest.EXPORT_DELIVERIES_KEPT),
    ]);
  });
}

function noteFailure(
  { pool, clock, log }: ExportDeps,
  destination: Taken,
  batch: Planned | undefined,
  outcome: Extract<SendOutcome, { ok: false }>,
): Promise<void> {
  const nowMs = clock.now();
  const { status, message } = outcome;
  const failures = destination.failures + 1;
  const pauseMs = Math.max(
    retryAfterMs(failures),
    Math.min(outcome.retryAfterMs ?? 0, LONGEST_RETRY_MS),
  );
  log.warn('export failed, retrying', { ...about(destination), fault: message, failures });
  return inTransaction(pool, async (tx) => {
    await holdLease(tx, destination);
    if (batch !== undefined) {
      await tx.query('UPDATE export_batch SET last_status = $2, last_error = $3 WHERE id = $1', [
        batch.id,
        status,
        message,
      ]);
    }
    const { rows } = await tx.query<{ failing_since: Date }>(
      `UPDATE export_destination SET lease = NULL, failures = $2, last_error = $3,
          last_error_at = $4, failing_since = coalesce(failing_since, $4), next_attempt_at = $5
        WHERE id = $1 RETURNING failing_since`,
      [destination.id, failures, message, new Date(nowMs), new Date(nowMs + pauseMs)],
    );
    const since = rows[0]?.failing_since.getTime() ?? nowMs;
    if (status !== GONE && nowMs - since < DISABLE_AFTER_MS) return;
    if (!(await disable(tx, destination, message))) return;
    log.error('export destination disabled: nothing is delivered until it is resumed', {
      ...about(destination),
      fault: message,
      failingSince: new Date(since).toISOString(),
    });
  });
}

/** False when it was paused meanwhile, which stays. */
async function disable(tx: Tx, destination: Taken, lastError: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE export_destination SET status = 'DISABLED' WHERE id = $1 AND status = 'ACTIVE'`,
    [destination.id],
  );
  if (rowCount === 0) return false;
  await tx.query(
    `INSERT INTO audit_event (id, organisation_id, actor_kind, action, target_type, target_id, details)
     VALUES ($1, $2, 'SYSTEM', 'export-destination.disable', 'export-destination', $3, $4)`,
    [
      uuidv7(),
      destination.organisation_id,
      destination.id,
      { before: { status: 'ACTIVE' }, after: { status: 'DISABLED', lastError } },
    ],
  );
  return true;
}

const about = ({ id, name, organisation_id }: Taken): Record<string, unknown> => ({
  exportDestinationId: id,
  name,
  organisationId: organisation_id,
});

const aboutBatch = ({ id, record, row_count: rows }: Planned): Record<string, unknown> => ({
  batchId: id,
  record,
  rows,
});
