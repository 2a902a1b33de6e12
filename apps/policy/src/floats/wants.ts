import { aheadOf, freeOf, isOver, type FloatCounter } from './counter';
import type { ShardMemory } from './memory';
import type { FloatParameters } from './parameters';

// What a shard wants of each counter, and of which a post has to speak.

/** A shard at one instant. */
export interface Moment {
  readonly m: ShardMemory;
  readonly deps: { readonly parameters: FloatParameters };
  readonly nowMs: number;
  readonly redisMs: number;
  /** The windows of a limit that are remembered. */
  readonly windowsOf: (limitId: string) => readonly FloatCounter[];
}

const REFRESH_MS = 250;
/** Only the answer to a post tells that others want the free part, and they wait for 150 ms at most. */
const FREE_REFRESH_MS = 60;
const ASK_AGAIN_MS = 100;

export function hasToSay(c: FloatCounter, moment: Moment): boolean {
  const { m, nowMs, redisMs } = moment;
  if (c.spent > 0n || c.corrections.size > 0 || c.leaving > 0n || c.outdated) return true;
  if (isOver(c, redisMs)) return c.cap > c.live + c.pend && !c.void;
  const want = wantOf(c, moment);
  if (want < c.cap - c.pend) return true;
  if (want > c.cap - c.pend && nowMs - c.refusedAtMs >= ASK_AGAIN_MS) return true;
  if (m.batch === 0 || !isAsked(c, moment)) return false;
  return nowMs - c.answeredAtMs >= (freeOf(c) > 0n ? FREE_REFRESH_MS : REFRESH_MS);
}

// Whether its figures matter. Those of a counter that is asked for an amount too seldom to be lent do not:
// Redis decides these requests, and keys that are used now and then have hundreds of such counters.
function isAsked({ has, kind, demand }: FloatCounter, { deps, nowMs }: Moment): boolean {
  const requests = demand.requests(nowMs);
  if (requests === 0 || requests >= deps.parameters.floatFrom) return requests > 0;
  return has || kind === 'POST_PAID' || demand.amount(nowMs) === 0n;
}

export function wantOf(c: FloatCounter, moment: Moment): bigint {
  const { m, deps, nowMs, redisMs } = moment;
  const { shardFrom } = deps.parameters;
  if (m.draining || isOver(c, redisMs) || m.demand.requests(nowMs) < shardFrom) return c.live;
  const ahead = aheadOf(c, nowMs, deps.parameters);
  return ahead === 0n || isSuperseded(c, moment) ? c.live : c.live + ahead;
}

export function windowsIn({ counters }: ShardMemory): Moment['windowsOf'] {
  let windows: Map<string, FloatCounter[]> | undefined;
  return (limitId) => {
    windows ??= Map.groupBy(counters.values(), (counter) => counter.limitId);
    return windows.get(limitId) ?? [];
  };
}

// Redis knows one float of a limit. Another window of it may come back until it is over, so that its
// requests must have left before.
function isSuperseded(c: FloatCounter, { windowsOf, redisMs }: Moment): boolean {
  if (c.has) return false;
  for (const other of windowsOf(c.limitId)) {
    if (other === c || isOver(other, redisMs)) continue;
    if (other.cap > 0n || other.requests > 0) return true;
  }
  return false;
}
