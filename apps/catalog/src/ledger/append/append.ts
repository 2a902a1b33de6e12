import type { AppendReply, AppendRequest__Output } from '@tollgate/contracts/node';
import type { Pool, PoolClient } from 'pg';

import { inTransaction } from '../../db';
import { parseEntry, type LedgerEntry } from '../records/entry';
import { assertShard, readShard, shardState, type ShardRow } from '../records/shards';
import { bookBatch } from './book-batches';
import { quarantine } from './quarantine';

export interface AppendOutcome {
  reply: AppendReply;
  records: number;
  adjustments: number;
}

/**
 * Commits entries prev+1 … last of one shard in one transaction. A caller at another position or in
 * another epoch commits nothing and gets the shard's state, so each entry is booked exactly once,
 * however often it is sent. Throws a RangeError for entries that cannot be booked.
 */
export async function append(pool: Pool, request: AppendRequest__Output): Promise<AppendOutcome> {
  const entries = readEntries(request);
  return inTransaction(pool, async (tx) => {
    const shard = await advance(tx, request);
    if (shard === undefined) {
      const state = await readShard(tx, request.shard);
      return { reply: refusal(state), records: 0, adjustments: 0 };
    }
    if (request.quarantine) {
      const forget = await quarantine(tx, request);
      return { reply: committedReply(shard, forget), records: 0, adjustments: 0 };
    }
    const { forget, records, adjustments } = await bookBatch(tx, { shard: request.shard, entries });
    return { reply: committedReply(shard, forget), records, adjustments };
  });
}

/** Parses and checks a request without reading the books. Throws a RangeError for what is wrong. */
export function readEntries(request: AppendRequest__Output): LedgerEntry[] {
  checkPositions(request);
  const entries = request.quarantine ? [] : request.entries.map(parseEntry);
  checkShard(request.shard, entries);
  return entries;
}

/**
 * The compare-and-set that makes a batch commit once. It also locks the shard's row until commit.
 */
async function advance(
  tx: PoolClient,
  { shard, epoch, prev, last }: AppendRequest__Output,
): Promise<ShardRow | undefined> {
  const { rows } = await tx.query<ShardRow>({
    name: 'ledger-advance',
    text: `UPDATE ledger_shard SET last_seq = $4, updated_at = now()
      WHERE id = $1 AND epoch = $2 AND last_seq = $3 RETURNING id, epoch, last_seq, rev`,
    values: [shard, epoch, prev, last],
  });
  return rows[0];
}

function checkPositions({ prev, last, entries, raw }: AppendRequest__Output): void {
  const bad = entries.findIndex((entry, index) => entry.seq !== prev + 1 + index);
  if (bad >= 0 && raw.length === 0) {
    throw new RangeError(
      `entries must be numbered from ${prev + 1}: the number of entry ${bad} is wrong`,
    );
  }
  if (last < prev || last - prev !== entries.length + raw.length) {
    throw new RangeError(
      `${entries.length + raw.length} entries do not lead from ${prev} to ${last}`,
    );
  }
}

function checkShard(shard: number, entries: readonly LedgerEntry[]): void {
  for (const organisationId of new Set(entries.map((entry) => entry.dimensions.organisationId))) {
    assertShard(shard, organisationId);
  }
}

export function committedReply(shard: ShardRow, forget: Iterable<string>): AppendReply {
  return { committed: true, state: shardState(shard), forgetLimitIds: [...forget] };
}

function refusal(shard: ShardRow): AppendReply {
  return { committed: false, state: shardState(shard), forgetLimitIds: [] };
}
