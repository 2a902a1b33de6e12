import type { RoutingStrategy } from '@tollgate/contracts';

import type { PlannedCandidate } from '../directory';

// In which order a request tries its candidates: pure, given its turn and what is known of each.

export interface Choosable {
  readonly candidate: PlannedCandidate;
  /** What the request is taken to cost with it; undefined: it has no price. */
  readonly costNanoUsd: bigint | undefined;
  /** Mean until the first token, or the answer; undefined: nothing recent is known. */
  readonly latencyUs: number | undefined;
}

type Strategies<T> = Readonly<Record<RoutingStrategy, T>>;

/** Whether a request has to know whose turn it is. */
export const ROTATES: Strategies<boolean> = {
  failover: false,
  priority: false,
  round_robin: true,
  weighted: true,
  lowest_latency: true,
  lowest_cost: false,
};

/** Whether nothing that is healthy may be passed over to probe something that is not. */
export const STRICT: Strategies<boolean> = {
  failover: true,
  priority: true,
  round_robin: false,
  weighted: false,
  lowest_latency: false,
  lowest_cost: true,
};

/** One request in so many goes to a candidate whose latency nobody knows, while there is one. */
const EXPLORE_EVERY = 16;

/**
 * The order before anything is known of the upstreams. Failover starts with the model that was asked
 * for and goes on behind it, around to those before it; the other strategies decide for themselves.
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

/** The order by the request's turn, of candidates that can be used now. */
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

// Of as many turns as the weights come to, each candidate has exactly its weight, and they are spread:
// steps of a golden section of the whole, made coprime to it, visit every slot once.
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
    // Nothing is known of any: they take turns until something is.
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

// What has no price is not known to be cheap.
function compareCost(a: bigint | undefined, b: bigint | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -1 : 1;
}
