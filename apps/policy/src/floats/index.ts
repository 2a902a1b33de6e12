// Deciding requests from memory: floats that this process has taken in advance, the requests decided
// from them, and the posts that report both. What a float is in Redis says store/scripts/float-entries.ts.
// No I/O but the store's two calls; ./loop drives it in time. ../holds asks it.
import { POST_MAX, StoreUnavailableError, type PostOutcome } from '../store';
import { applyPosted, loseFloat, takeOut } from './answer';
import { nextPost } from './batch';
import { authorize, end, extend, repeatedEnd, sessionEnded, type FloatExtension } from './decide';
import type { Now, Rules } from './decision';
import { figuresOf, holdsBefore } from './figures';
import type { FloatDeps, Floats } from './floats';
import {
  createMemory,
  drop,
  keep,
  keepAll,
  noteClosed,
  type EndContent,
  type Ended,
  type MemoryHold,
  type ShardMemory,
} from './memory';
import { createElapsed, createRedisTime, type RedisTime } from './time';

export type { FloatExtension } from './decide';
export type { FloatFigures } from './figures';
export type { FloatDeps, Floats } from './floats';
export type { ExactReason, FloatDecision, FloatRequest } from './decision';
export { createPostLoop, type PostLoop } from './loop';
export type { EndContent, Ended, MemoryHold } from './memory';
export {
  checkParameters,
  endedKeptMs,
  FLOAT_PARAMETERS,
  shardFrom,
  type FloatParameters,
} from './parameters';
export type { FloatClock } from './time';

interface Running extends FloatDeps {
  readonly shards: Map<number, { readonly memory: ShardMemory; readonly time: RedisTime }>;
  readonly elapsed: () => number;
  readonly rules: Rules;
  generation: number;
  draining: boolean;
}

export function createFloats(deps: FloatDeps): Floats {
  const { parameters, ledgerMax } = deps;
  const r: Running = {
    ...deps,
    shards: new Map(),
    elapsed: createElapsed(deps.clock),
    rules: { parameters, ledgerMax, onExact: deps.onExact ?? (() => undefined) },
    generation: 0,
    draining: false,
  };
  const memories = () => [...r.shards.values()].map(({ memory }) => memory);
  return {
    redisMs: (shard) => r.shards.get(shard)?.time.now(),
    authorize(shard, request) {
      r.onAsked?.();
      const { memory, time } = shardOf(r, shard);
      if (memory.epoch !== r.epochOf(shard)) return undefined;
      const decision = authorize(memory, r.rules, nowOf(r, time), request);
      if (decision?.kind === 'ALLOW') r.onDecided?.();
      return decision;
    },
    settle: (shard, requestId, content) => settle(r, shard, requestId, content),
    extend: (shard, extension) => extendIn(r, shard, extension),
    closed(shard, counters) {
      const memory = r.shards.get(shard)?.memory;
      if (memory !== undefined) noteClosed(memory, counters, r.elapsed());
    },
    drop(shard, requestId) {
      const at = found(r, shard, requestId);
      if (at?.hold.state === 'KEEPING') return at.hold.outcome.promise;
      if (at?.hold.state === 'LIVE') drop(at.memory, at.hold);
      return undefined;
    },
    sessionEnded(session) {
      for (const { memory } of r.shards.values()) sessionEnded(memory, session);
    },
    drain() {
      r.draining = true;
      for (const { memory } of r.shards.values()) {
        memory.draining = true;
        keepAll(memory);
      }
    },
    get busy() {
      return memories().some(isBusy);
    },
    get idle() {
      return !memories().some((m) => isBusy(m) || m.counters.size > 0);
    },
    figures: () => figuresOf(memories()),
    holdsOlderThan: (ageMs, count) => holdsBefore(memories(), r.elapsed() - ageMs, count),
    tick() {
      for (const [shard, { memory, time }] of r.shards) tick(r, shard, memory, time);
    },
  };
}

function found(r: Running, shard: number, requestId: string) {
  const memory = r.shards.get(shard)?.memory;
  const hold = memory?.holds.get(requestId);
  return memory && hold ? { memory, hold } : undefined;
}

function settle(
  r: Running,
  shard: number,
  requestId: string,
  content: EndContent,
): Promise<Ended> | undefined {
  const at = found(r, shard, requestId);
  if (at === undefined) return undefined;
  const { memory, hold } = at;
  if (hold.state !== 'LIVE') return repeatedEnd(hold, content);
  end(memory, hold, r.rules, content);
  if (isUrgent(memory, hold)) tick(r, shard, memory, shardOf(r, shard).time);
  return hold.outcome.promise;
}

function extendIn(r: Running, shard: number, extension: FloatExtension) {
  const at = found(r, shard, extension.requestId);
  if (at === undefined) return undefined;
  const { memory, hold } = at;
  if (extension.floatId !== memory.floatId) return dropCopy(memory, hold); // guard: own float
  if (hold.state === 'ENDING') return { kind: 'GONE' as const };
  // Its edge lost the session, and may have had the hold adopted: only Redis knows.
  if (extension.session !== hold.session) return kept(memory, hold); // guard: own session
  const now = nowOf(r, shardOf(r, shard).time);
  const granted =
    hold.state === 'LIVE' && extension.asHold !== true
      ? extend(memory, r.rules, now, hold, extension)
      : undefined;
  if (granted !== undefined) return { kind: 'GRANTED' as const, ...granted };
  return kept(memory, hold);
}

function kept(memory: ShardMemory, hold: MemoryHold): Promise<Ended> {
  keep(memory, hold);
  return hold.outcome.promise;
}

/** Another policy has allowed the request, too, and its ALLOW came first. Redis extends its hold. */
function dropCopy(memory: ShardMemory, hold: MemoryHold): undefined {
  if (hold.state !== 'LIVE') return;
  drop(memory, hold);
  hold.outcome.resolve({ kind: 'EXACT' });
}

function shardOf(r: Running, shard: number) {
  const known = r.shards.get(shard);
  if (known !== undefined) return known;
  const memory = createMemory(shard, r.epochOf(shard), nextFloatId(r), r.parameters);
  memory.draining = r.draining;
  const fresh = { memory, time: createRedisTime(r.clock) };
  r.shards.set(shard, fresh);
  return fresh;
}

const isBusy = (m: ShardMemory): boolean =>
  m.holds.size > 0 || m.batch > 0 || m.underWay !== undefined;

// Enough for a post, or somebody waits for what it gives back.
const isUrgent = (m: ShardMemory, { parts }: MemoryHold): boolean =>
  m.ends.length >= POST_MAX || parts.some(({ counter }) => counter.wanted);

const nextFloatId = (r: Running): string => `${r.processId}.${String((r.generation += 1))}`;

const nowOf = (r: Running, time: RedisTime): Now => ({ nowMs: r.elapsed(), redisMs: time.now() });

/** Pause after a post that was refused for its epoch, while the new one is fetched. */
const EPOCH_PAUSE_MS = 250;
/** Pause between two looks for leases that are over. */
const LEASES_MS = 100;

function tick(r: Running, shard: number, m: ShardMemory, time: RedisTime): void {
  const { nowMs, redisMs } = nowOf(r, time);
  if (m.epoch !== r.epochOf(shard)) {
    lose(r, m, time);
    m.pausedUntilMs = nowMs;
  }
  // Not open, as far as is known.
  if (m.epoch === 0) return;
  if (nowMs - m.lookedAtMs >= LEASES_MS) {
    m.lookedAtMs = nowMs;
    abandonExpired(r, m, redisMs);
  }
  if (m.underWay === undefined && nowMs >= m.pausedUntilMs)
    m.underWay = nextPost(m, r, nowMs, redisMs ?? 0);
  const { underWay } = m;
  if (underWay === undefined) return;
  if (nowMs - underWay.firstSentAtMs >= r.parameters.troubleMs && !underWay.troubled) {
    underWay.troubled = true;
    keepAll(m);
    r.onAdopt(shard, m.floatId); // guard: adopt notice
  }
  if (underWay.sending) return;
  send(r, m, time).catch((error: unknown) => giveUp(r, m, time, error));
}

function abandonExpired(r: Running, m: ShardMemory, redisMs: number | undefined): void {
  if (redisMs === undefined) return;
  for (const hold of m.holds.values()) {
    if (hold.state !== 'LIVE' || hold.leaseUntilMs > redisMs) continue;
    end(m, hold, r.rules, r.abandoned(hold));
  }
}

async function send(r: Running, m: ShardMemory, time: RedisTime): Promise<void> {
  const { underWay } = m;
  if (underWay === undefined) return;
  underWay.sending = true;
  const sentAt = time.sent();
  let outcome: PostOutcome;
  try {
    outcome = await r.store.post(underWay.item);
  } catch (error) {
    if (m.underWay !== underWay) return;
    underWay.sending = false;
    // It may have been applied: the same is sent again.
    if (error instanceof StoreUnavailableError) return;
    await giveUp(r, m, time, error);
    return;
  }
  // The float was lost meanwhile.
  if (m.underWay !== underWay) return;
  // Redis has lost what it answers for. Whoever asks again since then must not get numbers of before.
  if (m.epoch !== r.epochOf(m.shard)) {
    lose(r, m, time);
    return;
  }
  underWay.sending = false;
  const { ends, last } = { ends: underWay.ends.length, last: underWay.item.last };
  switch (outcome.kind) {
    case 'POSTED':
    case 'AGAIN': {
      // The answer to a repeated post is the first one.
      time.learn(outcome.nowMs, outcome.kind === 'POSTED' ? sentAt : undefined);
      applyPosted(m, outcome, { nowMs: r.elapsed(), redisMs: outcome.nowMs });
      r.onPosted?.(ends);
      if (last) loseFloat(m, nextFloatId(r));
      else if (m.ends.length >= POST_MAX) tick(r, m.shard, m, time);
      return;
    }
    case 'ELSE':
      if (takeOut(m, outcome.requestIds) === 0) throw new Error('the post names none of these');
      return await send(r, m, time);
    case 'LATE':
      time.learn(outcome.nowMs, sentAt);
      return;
    case 'EPOCH':
      lose(r, m, time);
      m.pausedUntilMs = r.elapsed() + EPOCH_PAUSE_MS;
      r.onEpoch(m.shard, outcome);
      return;
    case 'GONE':
    case 'OLD':
      lose(r, m, time);
  }
}

// What is in memory is adopted by the edges; what has ended is closed by today's scripts.
function lose(r: Running, m: ShardMemory, time: RedisTime): void {
  const { floatId, batch } = m;
  const hadHolds = m.holds.size > 0;
  loseFloat(m, nextFloatId(r));
  time.forget();
  m.epoch = r.epochOf(m.shard);
  if (batch > 0 && hadHolds) r.onAdopt(m.shard, floatId);
}

/** Calls for one float; each takes up to 200 requests of its journal. */
const RECLAIMS_MAX = 100;

// An error that is not understood: Redis may have applied a part of the post.
async function giveUp(r: Running, m: ShardMemory, time: RedisTime, error: unknown): Promise<void> {
  const { shard, epoch, floatId } = m;
  r.log.error('a float was given up', { shard, floatId, error });
  lose(r, m, time);
  try {
    for (let calls = 0; calls < RECLAIMS_MAX; calls += 1) {
      const outcome = await r.store.reclaim({
        shard,
        epoch,
        floatId,
        leaseMs: r.leaseMs,
        own: true,
      });
      if (outcome.kind !== 'MORE') return;
    }
  } catch (failure) {
    // Its lease ends, and the sweeper reclaims it.
    r.log.warn('a float could not be reclaimed', { shard, floatId, error: failure });
  }
}
