import { shardOf, SHARDS } from '@tollgate/contracts';
import type { ShardState } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../../db';

export interface ShardRow {
  id: number;
  epoch: bigint;
  last_seq: bigint;
  rev: bigint;
}

export function shardState(row: ShardRow): ShardState {
  return {
    shard: row.id,
    epoch: Number(row.epoch),
    lastSeq: Number(row.last_seq),
    rev: Number(row.rev),
  };
}

/** Throws a RangeError when there is no such shard. */
export async function readShard(tx: Tx, id: number): Promise<ShardRow> {
  return oneShard(
    await tx.query<ShardRow>({
      name: 'ledger-read-shard',
      text: 'SELECT id, epoch, last_seq, rev FROM ledger_shard WHERE id = $1',
      values: [id],
    }),
    id,
  );
}

/** Locks the shard's row until commit: nothing else is booked or corrected meanwhile. */
export async function lockShard(tx: Tx, id: number): Promise<ShardRow> {
  return oneShard(
    await tx.query<ShardRow>({
      name: 'ledger-lock-shard',
      text: 'SELECT id, epoch, last_seq, rev FROM ledger_shard WHERE id = $1 FOR NO KEY UPDATE',
      values: [id],
    }),
    id,
  );
}

/** Throws unless the organisation belongs to the shard whose row is locked. */
export function assertShard(shard: number, organisationId: string): void {
  if (shardOf(organisationId) !== shard) {
    throw new RangeError(`organisation ${organisationId} does not belong to shard ${shard}`);
  }
}

/** An empty list means all shards. */
export async function getShards(pool: Pool, shards: readonly number[]): Promise<ShardState[]> {
  const wanted = shards.length === 0 ? Array.from({ length: SHARDS }, (_, id) => id) : shards;
  const { rows } = await pool.query<ShardRow>(
    'SELECT id, epoch, last_seq, rev FROM ledger_shard WHERE id = ANY($1::smallint[]) ORDER BY id',
    [wanted],
  );
  return rows.map(shardState);
}

/**
 * Advances the epoch of a shard for the caller that knows the current one. Any other caller gets
 * the current state.
 */
export function advanceEpoch(
  pool: Pool,
  request: { shard: number; fromEpoch: number; reason: string },
): Promise<ShardState> {
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<ShardRow>(
      `UPDATE ledger_shard SET epoch = epoch + 1, updated_at = now()
       WHERE id = $1 AND epoch = $2 RETURNING id, epoch, last_seq, rev`,
      [request.shard, request.fromEpoch],
    );
    const [advanced] = rows;
    if (advanced === undefined) return shardState(await readShard(tx, request.shard));
    await tx.query(
      `INSERT INTO audit_event (id, actor_kind, action, target_type, target_id, details)
       VALUES ($1, 'SYSTEM', 'ledger.advance-epoch', 'ledger_shard', $2, $3)`,
      [
        uuidv7(),
        String(request.shard),
        { epoch: advanced.epoch.toString(), reason: request.reason.replaceAll('\0', '') },
      ],
    );
    return shardState(advanced);
  });
}

function oneShard({ rows }: { rows: ShardRow[] }, id: number): ShardRow {
  const [row] = rows;
  if (row === undefined) throw new RangeError(`there is no shard ${id}`);
  return row;
}
