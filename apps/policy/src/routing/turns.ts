import { createBoundedCache, type Clock } from '@tollgate/kit';

import { StoreUnavailableError, type Routed, type RouteItem, type Store } from '../store';

export interface Turns {
  /** Which candidates are available now, and the request's turn. */
  readonly route: (item: RouteItem) => Promise<Routed>;
}

const UPSTREAMS_MAX = 10_000;
const ROTATIONS_MAX = 10_000;

/**
 * Asks the store, whose state all policies share. While it is unreachable, this process uses the
 * last known states and its own turns.
 */
export function createTurns(deps: {
  readonly store: Pick<Store, 'route'>;
  readonly clock: Clock;
}): Turns {
  const heard = createBoundedCache<string, Routed['states'][number]>({ max: UPSTREAMS_MAX });
  const turns = createBoundedCache<string, number>({ max: ROTATIONS_MAX });

  const local = (item: RouteItem): Routed => {
    const nowMs = deps.clock.now();
    const states = item.candidates.map((candidate): Routed['states'][number] => {
      const last = heard.get(keyOf(item, candidate));
      const rests = last !== undefined && last.untilMs > nowMs && last.state !== 'PROBE';
      if (rests) return last;
      return {
        state: 'CLOSED',
        untilMs: 0,
        latencyUs: last?.latencyUs,
        latencies: last?.latencies ?? 0,
      };
    });
    const usable = item.candidates.filter((_, index) => states[index]?.state === 'CLOSED');
    if (!item.rotates || usable.length < 2) return { nowMs, states, turn: undefined };
    const set = usable.map(({ place }) => String(place)).join(',');
    const key = `${item.apiKeyId} ${item.policyId} ${set}`;
    const number = turns.get(key) ?? 0;
    turns.set(key, number + 1);
    return { nowMs, states, turn: { set: LOCAL, number } };
  };

  return {
    route: async (item) => {
      try {
        const routed = await deps.store.route(item);
        for (const [index, candidate] of item.candidates.entries()) {
          const state = routed.states[index];
          if (state !== undefined) heard.set(keyOf(item, candidate), state);
        }
        return routed;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        return local(item);
      }
    },
  };
}

/** The set of a local turn, unknown to the store. */
export const LOCAL = 'local';

function keyOf({ shard }: RouteItem, { providerId, modelId }: RouteItem['candidates'][number]) {
  return `${String(shard)} ${providerId} ${modelId}`;
}
