import { shardOf } from '@tollgate/contracts';
import type { Tx } from '../db';

export type OutboxEventInput = {
  /** Absent: everything may have changed. */
  organisationId?: string;
  /** What changed: ORGANISATION, USER, TEAM, API_KEY, PROVIDER, MODEL, PRICE, LIMIT, LEDGER, … */
  kind: string;
  /** When one key alone is meant. */
  keySha256?: Buffer;
  /** Limits whose counters must be forgotten: created or changed ones, and those of corrections. */
  limitIds?: readonly string[];
  /** The shard's revision after the change, as `raiseRevision` answered it. */
  rev?: bigint;
};

/** What a TypeORM EntityManager or QueryRunner inside a transaction is, for our purpose. */
export type Transaction = { query(sql: string, parameters?: unknown[]): Promise<unknown> };

/** The PostgreSQL channel that wakes the watchers; it carries no data. */
export const OUTBOX_CHANNEL = 'tollgate_outbox';

const OUTBOX_LOCK = 7_081_120_003;

/**
 * Tells the data plane of a change, in the transaction that makes it. Call it last: from here to the
 * commit it holds the lock that makes the order of numbers the order of commits. (A serial number
 * alone would let a reader pass a number whose transaction commits later.)
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
 * Raises the revision of an organisation's shard, for a change of what has been booked (a
 * correction). Totals read before it are stale from then on. Answers the new revision.
 */
export async function raiseRevision(tx: Tx, organisationId: string): Promise<bigint> {
  const { rows } = await tx.query<{ rev: bigint }>(
    'UPDATE ledger_shard SET rev = rev + 1, updated_at = now() WHERE id = $1 RETURNING rev',
    [shardOf(organisationId)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the shards have not been laid out: run the migrations');
  return row.rev;
}
