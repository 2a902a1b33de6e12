import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Invalidation, WatchInvalidationsRequest__Output } from '@tollgate/contracts/node';
import { GrpcFailure, grpcStatus, systemClock, type Clock } from '@tollgate/kit';
import type { Pool } from 'pg';

import { outboxBounds, readOutbox, type OutboxRow, type OutboxWake } from '../outbox';

export interface WatchDeps {
  pool: Pool;
  wake: OutboxWake;
  clock?: Clock;
  /** Longest silence on a stream before a heartbeat. */
  heartbeatMs?: number;
}

type Call = ServerWritableStream<WatchInvalidationsRequest__Output, Invalidation>;

const HEARTBEAT_MS = 3_000;
/** Rows read and written in one step. */
const PAGE = 500;

/**
 * Streams the outbox after a sequence number.
 *
 * Starts with a heartbeat at the current position, so that a caller that asked for "from now" knows
 * that position. Every later heartbeat means that nothing exists after its number: one follows each
 * batch, and one each silence. Ends when the caller disconnects or the server drains. Fails with
 * OUT_OF_RANGE when rows after the number were pruned, or never existed.
 */
export async function watchInvalidations(
  deps: WatchDeps,
  call: Call,
  draining: AbortSignal,
): Promise<void> {
  const { pool, wake, clock = systemClock, heartbeatMs = HEARTBEAT_MS } = deps;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  call.once('cancelled', leave);
  call.once('error', leave);
  const ended = AbortSignal.any([gone.signal, draining]);

  let position = await startingPosition(pool, BigInt(call.request.fromSeq));
  const say = (message: Invalidation): Promise<void> => write(call, message, ended);
  const heartbeat = (): Promise<void> =>
    say({ seq: Number(position), kind: 'HEARTBEAT', committedAtMs: clock.now() });

  await heartbeat();
  while (!ended.aborted) {
    const before = wake.count();
    const rows = await readOutbox(pool, position, PAGE);
    for (const row of rows) {
      await say(invalidationOf(row));
      position = row.seq;
    }
    if (rows.length === PAGE) continue;
    // Tells the caller that it is up to date as of this read.
    await heartbeat();
    await wake.next(heartbeatMs, ended, before);
  }
  if (!gone.signal.aborted) call.end();
}

async function startingPosition(pool: Pool, from: bigint): Promise<bigint> {
  const { first, last } = await outboxBounds(pool);
  if (from === 0n) return last;
  if (from < first - 1n || from > last) {
    throw new GrpcFailure(
      grpcStatus.OUT_OF_RANGE,
      `position ${from} is not within ${first} … ${last}: drop the cache and start from 0`,
    );
  }
  return from;
}

function invalidationOf(row: OutboxRow): Invalidation {
  return {
    seq: Number(row.seq),
    organisationId: row.organisation_id ?? '',
    kind: row.kind,
    ...(row.key_sha256 === null ? {} : { keySha256: row.key_sha256 }),
    limitIds: row.limit_ids,
    shard: row.shard ?? 0,
    rev: Number(row.rev),
    committedAtMs: row.created_at.getTime(),
  };
}

/** Applies backpressure: waits until the caller has read. */
async function write(call: Call, message: Invalidation, ended: AbortSignal): Promise<void> {
  if (ended.aborted || call.write(message)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      call.off('drain', go);
      ended.removeEventListener('abort', go);
      resolve();
    };
    call.once('drain', go);
    ended.addEventListener('abort', go);
    if (ended.aborted) go();
  });
}
