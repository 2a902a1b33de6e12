import { setImmediate as turn } from 'node:timers/promises';
import type { AppendRequest__Output } from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';
import type { Pool } from 'pg';

import { inTransaction, type Tx } from '../../db';
import { arrayLiteral } from '../records/column-arrays';
import type { ShardRow } from '../records/shards';
import { append, committedReply, readEntries, type AppendOutcome } from './append';
import { bookBatches, type Batch } from './book-batches';

/** Committing this few entries costs nearly as much as committing a hundred. */
const SMALL_BATCH_ENTRIES = 100;
const GROUP_MAX_ENTRIES = 500;
/** Short timeouts, so that one slow batch does not delay the others in the transaction for long. */
const GROUP_TIMEOUTS = { statementMs: 2_000, lockMs: 1_000 };

interface Waiting {
  readonly request: AppendRequest__Output;
  readonly batch: Batch;
  readonly answer: (outcome: AppendOutcome | Promise<AppendOutcome>) => void;
}

/**
 * `append` with group commit: small batches of different shards that arrive at the same time share
 * one transaction. A ledger of many organisations consists mostly of such batches.
 *
 * Each caller gets the outcome that it would get alone. A batch that cannot join (its shard is
 * locked by a correction, or is at another position) is appended alone, in parallel with the next
 * group. When the group's transaction fails, every batch is appended alone.
 */
export function createGroupCommit({
  pool,
  log,
}: {
  pool: Pool;
  log: Logger;
}): (request: AppendRequest__Output) => Promise<AppendOutcome> {
  let waiting: Waiting[] = [];
  let running = false;

  const run = async (): Promise<void> => {
    // Waits for batches that arrived in the same packet.
    await turn();
    while (waiting.length > 0) await commit(next());
    running = false;
  };

  /** The next group: at most one batch of each shard, in order of arrival. */
  const next = (): Waiting[] => {
    const shards = new Set<number>();
    const [group, rest]: [Waiting[], Waiting[]] = [[], []];
    let entries = 0;
    for (const one of waiting) {
      const fits = entries + one.batch.entries.length <= GROUP_MAX_ENTRIES;
      if (!fits || shards.has(one.batch.shard)) {
        rest.push(one);
        continue;
      }
      shards.add(one.batch.shard);
      entries += one.batch.entries.length;
      group.push(one);
    }
    waiting = rest;
    return group;
  };

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    let outcomes: ReadonlyMap<number, AppendOutcome>;
    try {
      outcomes = await appendGroup(pool, group);
    } catch (error) {
      // Each batch is retried alone: the one at fault fails again and its caller gets the error.
      outcomes = new Map();
      const shards = group.map(({ batch }) => batch.shard);
      const reason = error instanceof Error ? error.message : String(error);
      log.warn('group commit failed, appending each batch alone', { shards, reason });
    }
    for (const { request, answer } of group) {
      answer(outcomes.get(request.shard) ?? append(pool, request));
    }
  };

  return (request) => {
    if (request.quarantine || request.entries.length > SMALL_BATCH_ENTRIES)
      return append(pool, request);
    return new Promise((answer, refuse) => {
      try {
        const batch = { shard: request.shard, entries: readEntries(request) };
        waiting.push({ request, batch, answer });
      } catch (error) {
        refuse(error);
        return;
      }
      if (running) return;
      running = true;
      void run();
    });
  };
}

/** Commits the batches whose shards are free. Returns outcomes by shard; a busy shard has none. */
async function appendGroup(
  pool: Pool,
  group: readonly Waiting[],
): Promise<Map<number, AppendOutcome>> {
  return inTransaction(
    pool,
    async (tx) => {
      const shards = await advanceUnlocked(tx, group);
      if (shards.size === 0) return new Map();
      const free = group.filter(({ request }) => shards.has(request.shard));
      const results = await bookBatches(
        tx,
        free.map(({ batch }) => batch),
      );
      const outcomes = new Map<number, AppendOutcome>();
      for (const [at, { request }] of free.entries()) {
        const [shard, result] = [shards.get(request.shard), results[at]];
        if (shard === undefined || result === undefined) continue;
        const { forget, records, adjustments } = result;
        outcomes.set(request.shard, { reply: committedReply(shard, forget), records, adjustments });
      }
      return outcomes;
    },
    'READ COMMITTED',
    GROUP_TIMEOUTS,
  );
}

/**
 * The compare-and-set of `append` for several shards. It skips rows that are locked: waiting for
 * one shard while holding another could deadlock.
 */
async function advanceUnlocked(
  tx: Tx,
  group: readonly Waiting[],
): Promise<ReadonlyMap<number, ShardRow>> {
  const requests = group.map(({ request }) => request);
  const { rows } = await tx.query<ShardRow>({
    name: 'ledger-advance-free',
    text: `UPDATE ledger_shard s SET last_seq = free.last, updated_at = now()
      FROM (
        SELECT l.id, w.last
        FROM unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS w(id, epoch, prev, last)
        JOIN ledger_shard l ON l.id = w.id AND l.epoch = w.epoch AND l.last_seq = w.prev
        ORDER BY l.id FOR NO KEY UPDATE OF l SKIP LOCKED
      ) AS free
      WHERE s.id = free.id
      RETURNING s.id, s.epoch, s.last_seq, s.rev`,
    values: [
      arrayLiteral(requests.map(({ shard }) => shard)),
      arrayLiteral(requests.map(({ epoch }) => epoch)),
      arrayLiteral(requests.map(({ prev }) => prev)),
      arrayLiteral(requests.map(({ last }) => last)),
    ],
  });
  return new Map(rows.map((row) => [row.id, row]));
}
