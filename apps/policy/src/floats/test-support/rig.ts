import {
  createFloats,
  FLOAT_PARAMETERS,
  type EndContent,
  type Ended,
  type FloatDecision,
} from '..';
import { UnansweredError, type AuthorizeCounter, type EpochOutcome } from '../../store';
import { quiet, type Bench } from '../../store/test-support/backends';
import {
  budget,
  LEASE_MS,
  NOW,
  openShard,
  usage,
  type Shard,
} from '../../store/test-support/requests';
import { QUIET_PARAMETERS } from './parameters';

// One policy's memory on a real store, with time and Redis under the test's control.

const WHO = {
  ORGANISATION: 'o1',
  TEAM: '',
  USER: 'u1',
  API_KEY: 'k1',
  MODEL: 'm1',
  MCP_SERVER: '',
};

export interface Rig {
  s: Shard;
  floats: ReturnType<typeof createFloats>;
  /** Whether posts reach Redis, and whether all policies there know floats. */
  reach: { redis: boolean; allKnow: boolean };
  adopted: string[];
  epochs: EpochOutcome[];
  /** Time passes, with posts; without: as if the process were frozen. */
  pass(ms: number, frozen?: 'frozen'): Promise<void>;
  ask(id: string, counters: AuthorizeCounter[], resent?: boolean, again?: boolean): FloatDecision;
  /** Enough requests that end at once to be lent something. */
  warmUp(counters: AuthorizeCounter[]): Promise<void>;
  settle(id: string, counters: AuthorizeCounter[], spent: bigint): Promise<Ended> | undefined;
  /** Requests decided from memory of those asked for. */
  decided(ids: readonly string[], counters: AuthorizeCounter[]): number;
}

export function endOf(id: string, counters: AuthorizeCounter[], spent: bigint): EndContent {
  return {
    mode: 'SETTLED',
    counters: counters.map((c) => ({ ...c, spent: c.kind === 'CONCURRENCY' ? 0n : spent })),
    usage: usage({ COST: spent }),
    dimensions: WHO,
    payload: id,
  };
}

export async function openRig(bench: Bench, create = createFloats): Promise<Rig> {
  const s = await openShard(bench, await bench.store());
  const reach = { redis: true, allKnow: true };
  const adopted: string[] = [];
  const epochs: EpochOutcome[] = [];
  let now = NOW;
  const pending = new Set<Promise<unknown>>();
  const waitedFor = <T>(running: Promise<T>): Promise<T> => {
    pending.add(running);
    // A turn later, what its answer caused has been sent.
    const answered = (): unknown => setImmediate(() => pending.delete(running));
    running.then(answered, answered);
    return running;
  };
  const floats = create({
    store: {
      post: (item) =>
        reach.redis
          ? waitedFor(s.store.post(item))
          : Promise.reject(new UnansweredError('cut off')),
      reclaim: (item) => s.store.reclaim(item),
    },
    clock: { monotonicMs: () => now, wallMs: () => now },
    parameters: QUIET_PARAMETERS,
    processId: 'p1',
    leaseMs: LEASE_MS,
    ledgerMax: 100,
    allKnowFloats: () => reach.allKnow,
    epochOf: () => 1,
    onEpoch: (_shard, outcome) => epochs.push(outcome),
    onAdopt: (_shard, floatId) => adopted.push(floatId),
    abandoned: ({ requestId }) => ({ ...endOf(requestId, [], 0n), mode: 'ABANDONED' }),
    log: quiet,
  });
  const pass = async (ms: number, frozen?: 'frozen'): Promise<void> => {
    const until = now + ms;
    while (now < until) {
      now = frozen ? until : Math.min(until, now + FLOAT_PARAMETERS.postIntervalMs);
      await s.at(now);
      if (frozen) continue;
      floats.tick();
      while (pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const ask = (
    id: string,
    counters: AuthorizeCounter[],
    resent = false,
    again = false,
  ): FloatDecision => {
    const about = { requestId: id, session: 's1', resent, again, leaseMs: LEASE_MS, counters };
    return floats.authorize(s.shard, { ...about, ticketText: `ticket ${id}` });
  };
  const settle = (id: string, counters: AuthorizeCounter[], spent: bigint) =>
    floats.settle(s.shard, id, endOf(id, counters, spent));
  return {
    s,
    floats,
    reach,
    adopted,
    epochs,
    pass,
    ask,
    settle,
    async warmUp(counters) {
      for (let i = 0; i < 6; i += 1) ask(`warm ${String(i)}`, counters);
      await pass(20);
    },
    decided: (ids, counters) => ids.filter((id) => ask(id, counters)?.kind === 'ALLOW').length,
  };
}

/** Of the counter of `cost`. */
export const LIMIT = 1_000n;
export const cost = (amount = 10n) => [budget(LIMIT, amount)];

/** A float of the counter of `cost` is lent. */
export async function warmRig(bench: Bench, create = createFloats, settled = 0n): Promise<Rig> {
  const rig = await openRig(bench, create);
  await rig.s.seed([{ total: settled }]);
  await rig.warmUp(cost());
  return rig;
}
