// Deciding requests from memory: floats that this process has taken in advance, the requests decided
// from them, and the posts that report both. What a float is in Redis says store/scripts/float-entries.ts.
// No I/O but the store's two calls; ./loop drives it in time. ../holds asks it.
import { POST_MAX } from '../store';
import { authorize, end, extend, repeatedEnd, sessionEnded, type FloatExtension } from './decide';
import type { ExactReason, FloatRequest } from './decision';
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
import { nextFloatId, nowOf, tick, type Running } from './rounds';
import { createElapsed, createRedisTime } from './time';

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
      if (!r.allKnowFloats()) return exactly(r, request, 'members'); // guard: members
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

function exactly({ rules }: Running, { again }: FloatRequest, reason: ExactReason): undefined {
  if (again !== true) rules.onExact(reason);
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
