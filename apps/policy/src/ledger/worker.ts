import type { ShardState__Output } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import type { Epochs } from '../holds';
import { CLAIM_TTL_MS } from '../members';
import type { Store } from '../store';
import type { BookedMarks } from './booked-marks';
import type { Drain } from './drain';
import { createDrainAge, type DrainAge } from './drain-age';

export interface WorkerDeps {
  readonly ownerId: string;
  readonly store: Pick<Store, 'claimShards' | 'readMeta' | 'releaseShards'>;
  readonly epochs: Epochs;
  readonly bookedMarks: BookedMarks;
  readonly drain: Drain;
  /** The shards that this policy drains, and the names of all policies that claim. */
  readonly onClaimed: (shards: readonly number[], members: readonly string[]) => void;
  readonly sweep: (shard: number) => Promise<number>;
  readonly checkpoint: (shard: number) => Promise<void>;
  /** Of the holds in this process's memory; absent: it has none. */
  readonly checkpointOwn?: (() => Promise<void>) | undefined;
  readonly shardStates: () => Promise<readonly ShardState__Output[]>;
  /** Entries that wait for the catalog, and how long the oldest has waited at least. */
  readonly onLag: (entries: number, oldestMs: number) => void;
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

interface Rounds extends WorkerDeps {
  /** The shards that this policy has claimed. */
  mine: readonly number[];
  readonly warmUntil: Map<number, number>;
  readonly retryAt: Map<number, { atMs: number; pauseMs: number }>;
  /** By shard: rounds that it still skips. */
  readonly rests: Map<number, number>;
  readonly draining: Set<number>;
  readonly behind: Map<number, { rev: number; times: number }>;
  readonly lag: Map<number, number>;
  readonly age: DrainAge;
}

export function createWorker(deps: WorkerDeps): Worker {
  const { bookedMarks, intervals, log } = deps;
  const rounds: Rounds = {
    ...deps,
    mine: [],
    warmUntil: new Map(),
    retryAt: new Map(),
    rests: new Map(),
    draining: new Set(),
    behind: new Map(),
    lag: new Map(),
    age: createDrainAge(() => deps.clock.now()),
  };
  const timers: Timer[] = [];
  const every = (name: string, ms: number, round: () => Promise<void>): void => {
    timers.push(startTimer(name, ms, round, log));
  };
  return {
    start: () => {
      every('claim', CLAIM_EVERY_MS, () => claim(rounds));
      every('drain', intervals.drainMs, () => drainRound(rounds));
      every('sweep', intervals.sweepMs, () => sweepRound(rounds));
      every('checkpoint', intervals.checkpointMs, () => eachShard(opened(rounds), deps.checkpoint));
      if (deps.checkpointOwn) every('own checkpoint', intervals.checkpointMs, deps.checkpointOwn);
      every('booked marks', MARKS_AWAITED_MS, () => bookedMarks.refresh('awaited'));
      every('revisions', REVISIONS_EVERY_MS, () => revisionRound(rounds));
    },
    poke: (shard) => poke(rounds, shard),
    stop: async ({ drainMs }) => {
      deps.drain.stop();
      await Promise.all(timers.map((timer) => timer.stop()));
      await drainLast(rounds, drainMs);
    },
  };
}

// Claims shards, finds the open ones, and reads how far their streams are behind.
async function claim(rounds: Rounds): Promise<void> {
  const { shards, members } = await rounds.store.claimShards(rounds.ownerId, CLAIM_TTL_MS);
  rounds.mine = shards;
  rounds.onClaimed(shards, members);
  await rounds.bookedMarks.refresh('all');
  rounds.lag.clear();
  rounds.age.keep(rounds.mine);
  await eachShard(opened(rounds), async (shard) => {
    const meta = await rounds.store.readMeta(shard);
    if (meta === null) return;
    rounds.lag.set(shard, meta.seq - meta.booked);
    rounds.age.see(shard, meta);
    if (meta.seq > meta.booked) poke(rounds, shard);
  });
  const entries = [...rounds.lag.values()].reduce((sum, each) => sum + each, 0);
  rounds.onLag(entries, rounds.age.oldestMs());
}

function opened(rounds: Rounds): number[] {
  return rounds.mine.filter((shard) => rounds.epochs.of(shard) !== 0);
}

function poke(rounds: Rounds, shard: number): void {
  rounds.warmUntil.set(shard, rounds.clock.now() + WARM_MS);
}

async function drainRound(rounds: Rounds): Promise<void> {
  const nowMs = rounds.clock.now();
  const due = rounds.mine.filter(
    (shard) =>
      (rounds.warmUntil.get(shard) ?? 0) > nowMs &&
      (rounds.retryAt.get(shard)?.atMs ?? 0) <= nowMs &&
      !rounds.draining.has(shard) &&
      !stillRests(rounds, shard),
  );
  await eachShard(due, (shard) => drainOne(rounds, shard));
}

function stillRests(rounds: Rounds, shard: number): boolean {
  const left = rounds.rests.get(shard) ?? 0;
  if (left > 0) rounds.rests.set(shard, left - 1);
  return left > 0;
}

async function drainOne(rounds: Rounds, shard: number): Promise<void> {
  rounds.draining.add(shard);
  try {
    const carried = await rounds.drain.run(shard);
    if (carried > 0) poke(rounds, shard);
    if (carried < FEW_ENTRIES) rounds.rests.set(shard, REST_ROUNDS);
    rounds.retryAt.delete(shard);
  } catch (error) {
    // The entries stay in the stream; the shard stays warm, so it is tried again.
    const pauseMs = Math.min((rounds.retryAt.get(shard)?.pauseMs ?? 50) * 2, RETRY_MAX_MS);
    rounds.retryAt.set(shard, { atMs: rounds.clock.now() + pauseMs, pauseMs });
    poke(rounds, shard);
    const reason = reasonOf(error);
    rounds.log.warn('could not carry ledger entries to the catalog', { shard, pauseMs, reason });
  } finally {
    rounds.draining.delete(shard);
  }
}

function sweepRound(rounds: Rounds): Promise<void> {
  return eachShard(opened(rounds), async (shard) => {
    if ((await rounds.sweep(shard)) > 0) poke(rounds, shard);
  });
}

// The announcement of a correction can be lost (no listener, or a policy died between the
// catalog's commit and its own). The store then stays behind the catalog's revision, and the
// counters to forget are unknown: a new epoch forgets all of them and keeps the holds.
async function revisionRound(rounds: Rounds): Promise<void> {
  const ours = new Set(opened(rounds));
  for (const state of await rounds.shardStates()) {
    if (!ours.has(state.shard)) continue;
    const meta = await rounds.store.readMeta(state.shard);
    const before = rounds.behind.get(state.shard);
    rounds.behind.delete(state.shard);
    if (meta === null || meta.epoch !== state.epoch || meta.rev >= state.rev) continue;
    const times = before?.rev === state.rev ? before.times + 1 : 1;
    rounds.behind.set(state.shard, { rev: state.rev, times });
    if (times < 2) continue;
    await rounds.epochs.recover(state.shard, meta.epoch, 'correction_missed', 0);
  }
}

/** Drains what is left, as far as the time allows, and gives the shards up. */
async function drainLast(rounds: Rounds, drainMs: number): Promise<void> {
  const { clock, store, ownerId, log, mine, warmUntil } = rounds;
  const untilMs = clock.now() + drainMs;
  const warm = mine.filter((shard) => warmUntil.has(shard));
  await eachShard(warm, async (shard) => {
    if (clock.now() < untilMs) await drainOne(rounds, shard);
  });
  try {
    await store.releaseShards(ownerId);
  } catch (error) {
    // Others take them when the claim expires.
    log.warn('the shards could not be given up', { reason: reasonOf(error) });
  }
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
