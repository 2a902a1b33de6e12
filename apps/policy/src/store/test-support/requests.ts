import type { QuotaMetric } from '@tollgate/contracts';

import type {
  AuthorizeCounter,
  AuthorizeItem,
  AuthorizeOutcome,
  CloseItem,
  CloseOutcome,
  Dimensions,
  ExtendItem,
  SeedCounter,
  Store,
  UsageVector,
} from '..';
import type { Bench } from './backends';

// Requests with defaults for everything that a test does not care about.

export const NOW = 1_800_000_000_000;
export const LEASE_MS = 60_000;
export const WINDOW = { windowStartMs: NOW, windowEndMs: NOW + 3_600_000 };
export const NEXT_WINDOW = { windowStartMs: NOW + 3_600_000, windowEndMs: NOW + 7_200_000 };

const WHO: Dimensions = {
  ORGANISATION: 'o1',
  TEAM: '',
  USER: 'u1',
  API_KEY: 'k1',
  MODEL: 'm1',
  MCP_SERVER: '',
};

export function usage(amounts: Partial<Record<QuotaMetric, bigint>> = {}): UsageVector {
  return {
    REQUESTS: 1n,
    TOKENS: 0n,
    TOKENS_IN: 0n,
    TOKENS_OUT: 0n,
    ERRORS: 0n,
    COST: 0n,
    LATENCY_MS: 0n,
    ...amounts,
  };
}

export function budget(
  limit: bigint,
  amount: bigint,
  more: Partial<AuthorizeCounter> = {},
): AuthorizeCounter {
  return { limitId: 'b1', kind: 'WINDOW', ...WINDOW, limit, amount, soft: false, ...more };
}

const volatile = { windowStartMs: 0, windowEndMs: 0, soft: false };
export const rate = (limit: bigint, amount: bigint, limitId = 'l1:rpm'): AuthorizeCounter => ({
  ...volatile,
  limitId,
  kind: 'RATE',
  limit,
  amount,
});
export const concurrency = (limit: bigint, limitId = 'l1:conc'): AuthorizeCounter => ({
  ...volatile,
  limitId,
  kind: 'CONCURRENCY',
  limit,
  amount: 1n,
});

/** One shard of one store, with the defaults of its requests. */
export interface Shard {
  bench: Bench;
  store: Store;
  shard: number;
  authorize(
    requestId: string,
    counters: AuthorizeCounter[],
    more?: Partial<AuthorizeItem>,
  ): Promise<AuthorizeOutcome>;
  extend(
    requestId: string,
    item: Pick<ExtendItem, 'counters'> & Partial<ExtendItem>,
  ): ReturnType<Store['extend']>;
  close(
    requestId: string,
    mode: CloseItem['mode'],
    counters: (AuthorizeCounter & { spent?: bigint })[],
    more?: Partial<CloseItem>,
  ): Promise<CloseOutcome>;
  seed(
    counters: Partial<SeedCounter>[],
    more?: { position?: number; rev?: number; epoch?: number },
  ): ReturnType<Store['seed']>;
  at(ms: number): Promise<void>;
  settled(limitId?: string): Promise<bigint | null>;
  held(limitId?: string): Promise<bigint>;
}

/** A shard at NOW, opened with epoch 1 by default. */
export async function openShard(
  bench: Bench,
  store: Store,
  graceMs = 0,
  epoch = 1,
): Promise<Shard> {
  const shard = bench.freshShard();
  await bench.empty(shard);
  await bench.setTime(shard, NOW);
  if (epoch > 0) await store.open({ shard, newEpoch: epoch, position: 0, rev: 0, graceMs });
  const kind = (limitId: string) =>
    limitId.endsWith(':conc') ? 'CONCURRENCY' : limitId.includes(':') ? 'RATE' : 'WINDOW';
  const counter = async (limitId: string) => {
    const [found] = await store.readCounters(shard, [{ limitId, kind: kind(limitId) }]);
    if (found === undefined) throw new Error('no counter was answered');
    return found;
  };
  return {
    bench,
    store,
    shard,
    authorize: (requestId, counters, more = {}) =>
      store.authorize({
        shard,
        epoch,
        requestId,
        ticketText: `ticket ${requestId}`,
        leaseMs: LEASE_MS,
        counters,
        ...more,
      }),
    extend: (requestId, item) =>
      store.extend({
        shard,
        epoch,
        requestId,
        authorisedAtMs: NOW,
        leaseMs: LEASE_MS,
        step: 1,
        previousTicketText: `ticket ${requestId}`,
        ticketText: `longer ticket ${requestId}`,
        ...item,
      }),
    close: (requestId, mode, counters, more = {}) =>
      store.close({ shard, epoch, ...closing(requestId, mode, counters), ...more }),
    seed: (counters, more = {}) =>
      store.seed({
        shard,
        epoch,
        position: 0,
        rev: 0,
        ...more,
        counters: counters.map(seeding),
      }),
    at: (ms) => bench.setTime(shard, ms),
    settled: async (limitId = 'b1') => (await counter(limitId)).settled,
    held: async (limitId = 'b1') => (await counter(limitId)).held,
  };
}

function closing(
  requestId: string,
  mode: CloseItem['mode'],
  counters: (AuthorizeCounter & { spent?: bigint })[],
): Omit<CloseItem, 'shard' | 'epoch'> {
  return {
    requestId,
    mode,
    authorisedAtMs: NOW,
    leaseUntilMs: NOW + LEASE_MS,
    counters: counters.map((c) => ({
      limitId: c.limitId,
      kind: c.kind,
      windowStartMs: c.windowStartMs,
      windowEndMs: c.windowEndMs,
      spent: mode === 'CANCELLED' ? 0n : (c.spent ?? c.amount),
    })),
    usage: usage({ COST: counters[0]?.spent ?? counters[0]?.amount ?? 0n }),
    dimensions: WHO,
    payload: `payload ${requestId}`,
  };
}

function seeding(counter: Partial<SeedCounter>): SeedCounter {
  return {
    limitId: 'b1',
    ...WINDOW,
    total: 0n,
    metric: 'COST',
    scopeType: 'ORGANISATION',
    scopeId: 'o1',
    ...counter,
  };
}

/** A shard with a warm budget of which an amount is settled. */
export async function warmShard(bench: Bench, store: Store, settled = 0n): Promise<Shard> {
  const shard = await openShard(bench, store);
  await shard.seed([{ total: settled }]);
  return shard;
}
