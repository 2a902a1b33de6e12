import type { ShardState__Output } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import type { Epochs } from '../holds';
import type { Store } from '../store';
import type { BookedMarks } from './booked-marks';
import type { Drain } from './drain';

export interface WorkerDeps {
  readonly ownerId: string;
  readonly store: Pick<Store, 'claimShards' | 'readMeta' | 'releaseShards'>;
  readonly epochs: Epochs;
  readonly bookedMarks: BookedMarks;
  readonly drain: Drain;
  readonly sweep: (shard: number) => Promise<number>;
  readonly checkpoint: (shard: number) => Promise<void>;
  readonly shardStates: () => Promise<readonly ShardState__Output[]>;
  readonly onLag: (entries: number) => void;
  readonly intervals: {
    readonly drainMs: number;
    readonly sweepMs: number;
    readonly checkpointMs: number;
  };
  readonly clock: Clock;
  readonly log: Logger;
}

/** The background work of this policy's shards: drain, sweep, checkpoint. */
export interface Worker {
  readonly start: () => void;
  /** A shard has entries to drain. */
  readonly poke: (shard: number) => void;
  /** Stops the timers, drains what is left and releases the shards. */
  readonly stop: (options: { drainMs: number }) => Promise<void>;
}

const CLAIM_TTL_MS = 10_000;
const CLAIM_EVERY_MS = 2_500;
const MARKS_AWAITED_MS = 200;
const REVISIONS_EVERY_MS = 15_000;
const SHARDS_AT_ONCE = 16;
// How long a shard with entries is drained in every round: closes of other policies arrive without
// notice.
const WARM_MS = 10_000;
const RETRY_MAX_MS = 5_000;
// Booking a few entries costs the catalog nearly as much as a hundred, so a shard with few entries
// skips some rounds.
const FEW_ENTRIES = 100;
const REST_ROUNDS = 4;

export function createWorker(deps: WorkerDeps): Worker {
  const { store, epochs, bookedMarks, clock, log } = deps;
  let mine: readonly number[] = [];
  const warmUntil = new Map<number, number>();
  const retryAt = new Map<number, { atMs: number; pauseMs: number }>();
  const rests = new Map<number, number>();
  const draining = new Set<number>();
  const behind = new Map<number, { rev: number; times: number }>();
  const lag = new Map<number, number>();
  const timers: Timer[] = [];

  // Claims shards, finds the open ones, and reads how far their streams are behind.
  const claim = async (): Promise<void> => {
    mine = await store.claimShards(deps.ownerId, CLAIM_TTL_MS);
    await bookedMarks.refresh('all');
    lag.clear();
    await eachShard(opened(), async (shard) => {
      const meta = await store.readMeta(shard);
      if (meta === null) return;
      lag.set(shard, meta.seq - meta.booked);
      if (meta.seq > meta.booked) poke(shard);
    });
    deps.onLag([...lag.values()].reduce((sum, entries) => sum + entries, 0));
  };

  const opened = (): number[] => mine.filter((shard) => epochs.of(shard) !== 0);

  const poke = (shard: number): void => {
    warmUntil.set(shard, clock.now() + WARM_MS);
  };

  const drainRound = async (): Promise<void> => {
    const nowMs = clock.now();
    const due = mine.filter(
      (shard) =>
        (warmUntil.get(shard) ?? 0) > nowMs &&
        (retryAt.get(shard)?.atMs ?? 0) <= nowMs &&
        !draining.has(shard) &&
        !stillRests(shard),
    );
    await eachShard(due, drainOne);
  };

  const stillRests = (shard: number): boolean => {
    const rounds = rests.get(shard) ?? 0;
    if (rounds > 0) rests.set(shard, rounds - 1);
    return rounds > 0;
  };

  const drainOne = async (shard: number): Promise<void> => {
    draining.add(shard);
    try {
      const carried = await deps.drain.run(shard);
      if (carried > 0) poke(shard);
      if (carried < FEW_ENTRIES) rests.set(shard, REST_ROUNDS);
      retryAt.delete(shard);
    } catch (error) {
      // The entries stay in the stream; the shard stays warm, so it is tried again.
      const pauseMs = Math.min((retryAt.get(shard)?.pauseMs ?? 50) * 2, RETRY_MAX_MS);
      retryAt.set(shard, { atMs: clock.now() + pauseMs, pauseMs });
      poke(shard);
      const reason = reasonOf(error);
      log.warn('could not carry ledger entries to the catalog', { shard, pauseMs, reason });
    } finally {
      draining.delete(shard);
    }
  };

  const sweepRound = () =>
    eachShard(opened(), async (shard) => {
      if ((await deps.sweep(shard)) > 0) poke(shard);
    });

  const checkpointRound = () => eachShard(opened(), deps.checkpoint);

  // The announcement of a correction can be lost (no listener, or a policy died between the
  // catalog's commit and its own). The store then stays behind the catalog's revision, and the
  // counters to forget are unknown: a new epoch forgets all of them and keeps the holds.
  const revisionRound = async (): Promise<void> => {
    const ours = new Set(opened());
    for (const state of await deps.shardStates()) {
      if (!ours.has(state.shard)) continue;
      const meta = await store.readMeta(state.shard);
      const before = behind.get(state.shard);
      behind.delete(state.shard);
      if (meta === null || meta.epoch !== state.epoch || meta.rev >= state.rev) continue;
      const times = before?.rev === state.rev ? before.times + 1 : 1;
      behind.set(state.shard, { rev: state.rev, times });
      if (times < 2) continue;
      await epochs.recover(state.shard, meta.epoch, 'the announcement of a correction was lost', 0);
    }
  };

  const every = (name: string, ms: number, round: () => Promise<void>): void => {
    timers.push(startTimer(name, ms, round, log));
  };

  return {
    start: () => {
      every('claim', CLAIM_EVERY_MS, claim);
      every('drain', deps.intervals.drainMs, drainRound);
      every('sweep', deps.intervals.sweepMs, sweepRound);
      every('checkpoint', deps.intervals.checkpointMs, checkpointRound);
      every('booked marks', MARKS_AWAITED_MS, () => bookedMarks.refresh('awaited'));
      every('revisions', REVISIONS_EVERY_MS, revisionRound);
    },
    poke,
    stop: async ({ drainMs }) => {
      deps.drain.stop();
      await Promise.all(timers.map((timer) => timer.stop()));
      const untilMs = clock.now() + drainMs;
      const last = eachShard(
        mine.filter((shard) => warmUntil.has(shard)),
        async (shard) => {
          if (clock.now() < untilMs) await drainOne(shard);
        },
      );
      await last;
      try {
        await store.releaseShards(deps.ownerId);
      } catch (error) {
        // Others take them when the claim expires.
        log.warn('the shards could not be given up', { reason: reasonOf(error) });
      }
    },
  };
}

// The message of an unreachable dependency is enough; a stack would only add noise.
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Timer {
  /** Waits for the running round. */
  readonly stop: () => Promise<void>;
}

// Rounds never overlap: the next one starts `ms` after the last has ended. A failure is logged
// once, not with every repetition.
function startTimer(name: string, ms: number, round: () => Promise<void>, log: Logger): Timer {
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async (): Promise<void> => {
    try {
      await round();
      if (failing) log.info('background work goes on', { round: name });
      failing = false;
    } catch (error) {
      const reason = reasonOf(error);
      if (!failing) log.warn('background work failed, it is tried again', { round: name, reason });
      failing = true;
    }
    if (!stopped) timer = setTimeout(start, ms);
  };
  const start = (): void => {
    running = run();
  };
  start();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}

async function eachShard(
  shards: readonly number[],
  work: (shard: number) => Promise<unknown>,
): Promise<void> {
  const waiting = [...shards];
  let failure: unknown;
  const one = async (): Promise<void> => {
    for (let shard = waiting.shift(); shard !== undefined; shard = waiting.shift()) {
      try {
        await work(shard);
      } catch (error) {
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(SHARDS_AT_ONCE, waiting.length) }, one));
  if (failure !== undefined) throw failure;
}
