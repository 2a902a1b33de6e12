import type {
  PostCounter,
  PostEnd,
  PostEntry,
  PostItem,
  PostOutcome,
  ReclaimOutcome,
  Store,
} from '..';
import { LEASE_MS, NOW, usage, WINDOW, type Shard } from './requests';

// Posts with defaults for everything that a test does not care about.

export const FLOAT_LEASE_MS = 5_000;
export const FLOAT = 'p1.1';

/** A float of the budget b1. */
export const lent = (limit: bigint, more: Partial<PostCounter> = {}): PostCounter => ({
  limitId: 'b1',
  kind: 'WINDOW',
  ...WINDOW,
  limit,
  has: false,
  spent: 0n,
  kept: 0n,
  need: 0n,
  keep: 0n,
  want: 0n,
  corrections: [],
  ...more,
});

const volatile = { windowStartMs: 0, windowEndMs: 0 };
export const lentRate = (limit: bigint, more: Partial<PostCounter> = {}): PostCounter =>
  lent(limit, { limitId: 'l1:rpm', kind: 'RATE', ...volatile, ...more });
export const lentSlots = (limit: bigint, more: Partial<PostCounter> = {}): PostCounter =>
  lent(limit, { limitId: 'l1:conc', kind: 'CONCURRENCY', ...volatile, ...more });

export const end = (requestId: string, spent: bigint, more: Partial<PostEnd> = {}): PostEnd => ({
  requestId,
  mode: 'SETTLED',
  authorisedAtMs: NOW,
  counters: [{ limitId: 'b1', kind: 'WINDOW', ...WINDOW, spent }],
  usage: usage({ COST: spent }),
  dimensions: {
    ORGANISATION: 'o1',
    TEAM: '',
    USER: 'u1',
    API_KEY: 'k1',
    MODEL: 'm1',
    MCP_SERVER: '',
  },
  payload: `payload ${requestId}`,
  ...more,
});

export const entry = (
  requestId: string,
  amount: bigint,
  more: Partial<PostEntry> = {},
): PostEntry => ({
  requestId,
  authorisedAtMs: NOW,
  step: 0,
  ticketText: `ticket ${requestId}`,
  counters: [{ limitId: 'b1', kind: 'WINDOW', ...WINDOW, amount }],
  ...more,
});

export interface Poster {
  /** Posts the next batch. */
  post(counters: PostCounter[], more?: Partial<PostItem>): Promise<PostOutcome>;
  reclaim(own?: boolean): Promise<ReclaimOutcome>;
}

export function posterOf(s: Shard, store: Store = s.store, floatId = FLOAT): Poster {
  let batch = 0;
  const { shard } = s;
  return {
    post(counters, more = {}) {
      batch = more.batch ?? batch + 1;
      return store.post({
        shard,
        epoch: 1,
        floatId,
        batch,
        floatLeaseMs: FLOAT_LEASE_MS,
        leaseMs: LEASE_MS,
        counters,
        ends: [],
        journal: [],
        keeps: [],
        strikes: [],
        last: false,
        ...more,
      });
    },
    reclaim: (own = false) => store.reclaim({ shard, epoch: 1, floatId, leaseMs: LEASE_MS, own }),
  };
}
