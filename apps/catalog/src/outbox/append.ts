import { shardOf } from '@tollgate/contracts';

import type { Tx } from '../db';

export interface OutboxEventInput {
  /** Absent: everything may have changed. */
  organisationId?: string;
  /** What changed: ORGANISATION, USER, TEAM, API_KEY, PROVIDER, MODEL, PRICE, LIMIT, LEDGER, … */
  kind: string;
  /** Set when the change concerns one key only. */
  keySha256?: Buffer;
  /** Limits whose counters must be forgotten: new or changed ones, and corrected ones. */
  limitIds?: readonly string[];
  /** The shard's revision after the change, as returned by `raiseRevision`. */
  rev?: bigint;
}

/** The part of a TypeORM EntityManager or QueryRunner that is needed in a transaction. */
export interface Transaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** The PostgreSQL channel that wakes watchers; it carries no data. */
export const OUTBOX_CHANNEL = 'tollgate_outbox';

const OUTBOX_LOCK = 7_081_120_003;

/**
 * Announces a change to the data plane, in the transaction that makes it. Call it last: it takes a
 * lock until the commit, so that numbers are in commit order. A sequence alone would let a reader
 * skip a number whose transaction commits later.
 */
export async function appendOutbox(tx: Transaction, event: OutboxEventInput): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [OUTBOX_LOCK]);
  await tx.query(
    `INSERT INTO outbox_event (organisation_id, kind, key_sha256, limit_ids, shard, rev)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      event.organisationId ?? null,
      event.kind,
      event.keySha256 ?? null,
      [...(event.limitIds ?? [])],
      event.organisationId === undefined ? null : shardOf(event.organisationId),
      (event.rev ?? 0n).toString(),
    ],
  );
  await tx.query(`SELECT pg_notify($1, '')`, [OUTBOX_CHANNEL]);
}

/**
 * Increments the revision of an organisation's shard after a correction of booked usage. Totals
 * read before it are stale. Returns the new revision.
 */
export async function raiseRevision(tx: Tx, organisationId: string): Promise<bigint> {
  const { rows } = await tx.query<{ rev: bigint }>(
    'UPDATE ledger_shard SET rev = rev + 1, updated_at = now() WHERE id = $1 RETURNING rev',
    [shardOf(organisationId)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the shards are missing: run the migrations');
  return row.rev;
}
