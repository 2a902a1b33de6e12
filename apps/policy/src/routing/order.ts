import { affinityScore, type RoutingStrategy } from '@tollgate/contracts';

import type { PlannedCandidate, RoutingPlan } from '../directory';

// The order in which a request tries its candidates. Pure: its turn and the candidates' states are
// given.

export interface Choosable {
  readonly candidate: PlannedCandidate;
  /** Estimated cost; undefined: no price. */
  readonly costNanoUsd: bigint | undefined;
  /** Mean time to the first token, or to the answer; undefined: no recent data. */
  readonly latencyUs: number | undefined;
  /** How many answers that mean is of. */
  readonly latencies: number;
}

type Strategies<T> = Readonly<Record<RoutingStrategy, T>>;

/** Whether a strategy needs the request's turn. */
export const ROTATES: Strategies<boolean> = {
  failover: false,
  priority: false,
  round_robin: true,
  weighted: true,
  lowest_latency: true,
  lowest_cost: false,
};

/** Whether a strategy must not pass over a healthy candidate to probe another. */
export const STRICT: Strategies<boolean> = {
  failover: true,
  priority: true,
  round_robin: false,
  weighted: false,
  lowest_latency: false,
  lowest_cost: true,
};

/** One request in this many goes to a candidate without a known latency, while there is one. */
const EXPLORE_EVERY = 16;

/**
 * The order before upstream states are known. Failover starts with the requested model and wraps
 * around; the other strategies define their own order.
 */
export function listed<T extends Choosable>(
  strategy: RoutingStrategy,
  candidates: readonly T[],
  askedModelId: string | undefined,
): T[] {
  switch (strategy) {
    case 'failover': {
      const asked = candidates.findIndex(({ candidate }) => candidate.modelId === askedModelId);
      return asked <= 0 ? [...candidates] : around(candidates, asked);
    }
    case 'priority':
      return candidates.toSorted((a, b) => a.candidate.priority - b.candidate.priority);
    case 'lowest_cost':
      return candidates.toSorted((a, b) => compareCost(a.costNanoUsd, b.costNanoUsd));
    case 'round_robin':
    case 'weighted':
    case 'lowest_latency':
      return [...candidates];
  }
}

/**
 * The model that would answer without routing: the requested one, else the first one of the policy in its
 * order of priority. What routing saved is counted from it.
 */
export function firstChoice(
  { candidates, firstModelId }: Pick<RoutingPlan, 'candidates' | 'firstModelId'>,
  askedModelId: string | undefined,
): string {
  const isCandidate = candidates.some(({ modelId }) => modelId === askedModelId);
  return isCandidate ? (askedModelId ?? '') : firstModelId;
}

/** Conversations begin at candidates that are at most this much slower than the quickest. */
const NEAR = 1.25;

/**
 * The order in which a conversation prefers the candidates of a strategy that rotates: the same for each
 * of its turns, and by weight over all conversations.
 */
export function preferred<T extends Choosable>(
  strategy: RoutingStrategy,
  candidates: readonly T[],
  affinity: Uint8Array,
): T[] {
  const scored = candidates.map((one): [number, T] => {
    const { hash, weight } = one.candidate;
    return [affinityScore(affinity, hash, strategy === 'weighted' ? weight : 1), one];
  });
  return scored.sort(([a], [b]) => b - a).map(([, one]) => one);
}

/**
 * The available candidates for a conversation that prefers them in this order: for the lowest latency,
 * those that are about as quick as the quickest come first, and a part of the conversations explores those
 * without a known latency.
 */
export function settledOn<T extends Choosable>(
  strategy: RoutingStrategy,
  usable: readonly T[],
  affinity: Uint8Array,
): T[] {
  if (strategy !== 'lowest_latency' || usable.length < 2) return [...usable];
  const best = quickestUs(usable);
  if (best === undefined) return [...usable];
  const most = best * NEAR;
  const explores = (affinity[0] ?? 0) % EXPLORE_EVERY === 0;
  const isFirst = ({ latencyUs }: Choosable): boolean =>
    latencyUs === undefined ? explores : latencyUs <= most;
  const first = usable.filter(isFirst);
  const others = usable.filter((one) => !isFirst(one)).toSorted(compareLatency);
  if (!explores) return [...first, ...others];
  // Explorers begin with a stranger.
  const strangers = first.filter(({ latencyUs }) => latencyUs === undefined);
  return [...strangers, ...first.filter((one) => !strangers.includes(one)), ...others];
}

/** A prompt that a provider has cached is worth staying for, unless another candidate is quicker by both of these. */
const LEAVE_ABOVE = 1.5;
const LEAVE_ABOVE_US = 200_000;
/** A candidate is compared from this many answers on: the first quick ones of a recovered candidate would attract every conversation. */
const LEAVE_FOR_ANSWERS = 20;

/**
 * The place of a conversation, if it may stay there: for the lowest latency, while no other candidate is so much quicker
 * that a cold prompt pays (docs/conversation-affinity.md).
 *
 * @param begun whether a prompt may be cached there; otherwise the place must be as quick as for a new conversation
 */
export function stillGood<T extends Choosable>(
  strategy: RoutingStrategy,
  usable: readonly T[],
  place: T | undefined,
  begun: boolean,
): T | undefined {
  if (strategy !== 'lowest_latency' || place === undefined) return place;
  const now = usable.find(({ candidate }) => candidate === place.candidate);
  if (now?.latencyUs === undefined) return quickestUs(usable) === undefined ? now : undefined;
  if (!begun) return now.latencyUs <= (quickestUs(usable) ?? 0) * NEAR ? now : undefined;
  const best = quickestUs(usable.filter(({ latencies }) => latencies >= LEAVE_FOR_ANSWERS));
  if (best === undefined) return now;
  const most = Math.max(best * LEAVE_ABOVE, best + LEAVE_ABOVE_US);
  return now.latencyUs <= most ? now : undefined;
}

/** The lowest known latency; undefined: none is known. */
function quickestUs(usable: readonly Choosable[]): number | undefined {
  const known = usable.flatMap(({ latencyUs }) => (latencyUs === undefined ? [] : [latencyUs]));
  return known.length === 0 ? undefined : Math.min(...known);
}

/** The order of the available candidates, by the request's turn. */
export function turned<T extends Choosable>(
  strategy: RoutingStrategy,
  usable: readonly T[],
  turn: number | undefined,
): T[] {
  if (turn === undefined || usable.length < 2) {
    return strategy === 'lowest_latency' ? usable.toSorted(compareLatency) : [...usable];
  }
  switch (strategy) {
    case 'round_robin':
      return around(usable, turn % usable.length);
    case 'weighted':
      return weighted(usable, turn);
    case 'lowest_latency':
      return quickest(usable, turn);
    case 'failover':
    case 'priority':
    case 'lowest_cost':
      return [...usable];
  }
}

function around<T>(list: readonly T[], first: number): T[] {
  return [...list.slice(first), ...list.slice(0, first)];
}

// In a cycle as long as the sum of the weights, each candidate gets exactly its weight, spread
// evenly: steps of a golden section of the sum, made coprime to it, visit every slot once.
function weighted<T extends Choosable>(usable: readonly T[], turn: number): T[] {
  const total = usable.reduce((sum, { candidate }) => sum + candidate.weight, 0);
  let slot = ((turn % total) * strideOf(total)) % total;
  const first = usable.findIndex(({ candidate }) => {
    slot -= candidate.weight;
    return slot < 0;
  });
  const rest = usable.filter((_, index) => index !== first);
  const chosen = usable.slice(first, first + 1);
  return [...chosen, ...rest.toSorted((a, b) => b.candidate.weight - a.candidate.weight)];
}

const GOLDEN = 0.618_033_988_75;

function strideOf(total: number): number {
  let stride = Math.max(1, Math.round(total * GOLDEN));
  while (greatestCommonDivisor(stride, total) !== 1) stride += 1;
  return stride;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function quickest<T extends Choosable>(usable: readonly T[], turn: number): T[] {
  const order = usable.toSorted(compareLatency);
  const unknown = order.findIndex(({ latencyUs }) => latencyUs === undefined);
  if (unknown <= 0) {
    // Without any latency they take turns.
    return unknown === 0 ? around(order, turn % order.length) : order;
  }
  if (turn % EXPLORE_EVERY !== 0) return order;
  const strangers = order.slice(unknown);
  const explored = strangers[(turn / EXPLORE_EVERY) % strangers.length];
  return explored === undefined ? order : [explored, ...order.filter((one) => one !== explored)];
}

function compareLatency(a: Choosable, b: Choosable): number {
  if (a.latencyUs === b.latencyUs) return 0;
  return (a.latencyUs ?? Infinity) - (b.latencyUs ?? Infinity);
}

// A candidate without a price sorts last.
function compareCost(a: bigint | undefined, b: bigint | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}
