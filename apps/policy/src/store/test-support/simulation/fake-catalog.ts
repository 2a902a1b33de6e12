import { isValueCounter, type QuotaMetric, type ScopeType } from '@tollgate/contracts';

import type { Dimensions, LedgerEntry, SeedCounter, UsageVector } from '../..';

// The catalog's books of one shard, in memory and exact.

export interface FakeLimit {
  /** With VALUE_MARK: the counter of one value. Here a dimension stands for the value. */
  limitId: string;
  metric: QuotaMetric;
  scopeType: ScopeType;
  scopeId: string;
  windowMs: number;
  cap: bigint;
}

interface Recorded {
  mode: LedgerEntry['mode'];
  at: number;
  usage: UsageVector;
  dimensions: Dimensions;
}

export interface ShardState {
  epoch: number;
  lastSeq: number;
  rev: number;
}
export interface AppendReply {
  committed: boolean;
  state: ShardState;
  forget: string[];
}

export const matches = (limit: FakeLimit, dimensions: Dimensions): boolean =>
  dimensions[limit.scopeType] === limit.scopeId;

export const windowOf = (limit: FakeLimit, at: number) => {
  const windowStartMs = at - (at % limit.windowMs);
  return { windowStartMs, windowEndMs: windowStartMs + limit.windowMs };
};

/** The limits whose window of the entry its close has counted. */
function touchedBy(entry: LedgerEntry, binding: readonly FakeLimit[]): ReadonlySet<string> {
  const counted = entry.touched.filter((t) => {
    const limit = binding.find(({ limitId }) => limitId === t.limitId);
    return limit && windowOf(limit, entry.authorisedAtMs).windowEndMs === t.windowEndMs;
  });
  return new Set(counted.map(({ limitId }) => limitId));
}

/** The counters that did not count a first entry. Entries name every counter of a value, charged or not. */
function uncounted(entry: LedgerEntry, binding: readonly FakeLimit[]): string[] {
  const touched = touchedBy(entry, binding);
  const named = new Set(entry.touched.map(({ limitId }) => limitId));
  const ids = binding.map(({ limitId }) => limitId);
  if (ids.some((id) => isValueCounter(id) && !named.has(id))) {
    throw new Error(`the entry of ${entry.requestId} does not name its values`);
  }
  return ids.filter((id) => !touched.has(id) && !isValueCounter(id));
}

export function createFakeCatalog(limits: FakeLimit[]) {
  const records = new Map<string, Recorded>();
  const state: ShardState = { epoch: 0, lastSeq: 0, rev: 0 };

  const total = (limit: FakeLimit, from: number, to: number): bigint => {
    let sum = 0n;
    for (const r of records.values()) {
      if (r.at >= from && r.at < to && matches(limit, r.dimensions)) sum += r.usage[limit.metric];
    }
    return sum;
  };

  // Returns the counters that cannot know what the entry changes.
  const commit = (entry: LedgerEntry): string[] => {
    const binding = limits.filter((limit) => matches(limit, entry.dimensions));
    const present = records.get(entry.requestId);
    if (present === undefined) {
      if (entry.mode === 'CANCELLED') return [];
      const { mode, usage, dimensions } = entry;
      records.set(entry.requestId, { mode, usage, dimensions, at: entry.authorisedAtMs });
      return uncounted(entry, binding);
    }
    if (present.mode === 'ABANDONED' && entry.mode !== 'ABANDONED') {
      present.mode = entry.mode;
      present.usage = entry.usage;
    }
    // A duplicate may have been charged twice: no matching counter can be trusted.
    return binding.map(({ limitId }) => limitId);
  };

  return {
    state: (): ShardState => ({ ...state }),
    records: records as ReadonlyMap<string, Recorded>,
    total,

    append(epoch: number, prev: number, last: number, entries: LedgerEntry[]): AppendReply {
      if (epoch !== state.epoch || prev !== state.lastSeq) {
        return { committed: false, state: { ...state }, forget: [] };
      }
      const forget = new Set(entries.flatMap(commit));
      state.lastSeq = last;
      return { committed: true, state: { ...state }, forget: [...forget] };
    },

    windowTotals(wanted: FakeLimit[], at: number): { state: ShardState; counters: SeedCounter[] } {
      const counters = wanted.map((limit) => {
        const window = windowOf(limit, at);
        const { limitId, metric, scopeType, scopeId } = limit;
        const settled = total(limit, window.windowStartMs, window.windowEndMs);
        const scope = isValueCounter(limitId) ? ('END_USER' as const) : scopeType;
        return { limitId, ...window, metric, scopeType: scope, scopeId, total: settled };
      });
      return { state: { ...state }, counters };
    },

    advanceEpoch(from: number): ShardState {
      if (from === state.epoch) state.epoch += 1;
      return { ...state };
    },

    /** Changes the cost of a request; its counters must be forgotten. */
    adjust(requestId: string, change: bigint): { state: ShardState; forget: string[] } {
      const record = records.get(requestId);
      if (record === undefined) throw new Error(`${requestId} is not booked`);
      record.usage = { ...record.usage, COST: record.usage.COST + change };
      state.rev += 1;
      const forget = limits.filter((limit) => matches(limit, record.dimensions));
      return { state: { ...state }, forget: forget.map(({ limitId }) => limitId) };
    },

    /** A limit was created or changed: its counter must be forgotten. */
    limitChanged(limitId: string): { state: ShardState; forget: string[] } {
      state.rev += 1;
      return { state: { ...state }, forget: [limitId] };
    },
  };
}

export type FakeCatalog = ReturnType<typeof createFakeCatalog>;
