import {
  emptyUsage,
  isOneOf,
  limitApplies,
  metricAmount,
  OUTCOMES,
  SHARDS,
  windowAt,
  type CloseMode,
  type Limit,
  type QuotaMetric,
} from '@tollgate/contracts';
import type {
  AppendReply,
  AppendRequest__Output,
  Entry__Output,
  HoldState__Output,
  WindowTotalsReply,
  WindowTotalsRequest__Output,
} from '@tollgate/contracts/node';
import { GrpcFailure, grpcStatus } from '@tollgate/kit';

export interface ShardRow {
  shard: number;
  epoch: number;
  lastSeq: number;
  rev: number;
}

export interface Quarantined {
  readonly shard: number;
  readonly last: number;
  readonly reason: string;
  readonly entries: readonly Entry__Output[];
}

/**
 * The catalog's books in memory: positions by compare-and-set, one record per request, windows of
 * every matching limit, differences after ABANDONED.
 */
export interface FakeBooks {
  readonly shards: readonly ShardRow[];
  readonly records: ReadonlyMap<string, Entry__Output>;
  readonly adjustments: readonly { requestId: string; costNanoUsd: bigint }[];
  readonly quarantined: readonly Quarantined[];
  readonly holds: ReadonlyMap<string, HoldState__Output>;
  readonly limits: Map<string, Limit>;
  /** Entries for which this is true cannot be booked. */
  poison: (entry: Entry__Output) => boolean;
  /** Called when a batch is committed; an error that it throws is the caller's reply. */
  committed: () => void;
  readonly total: (limitId: string, instantMs: number, timeZone?: string) => bigint;
  /** A correction like re-rating makes; returns the shard's new revision. */
  readonly correct: (shard: number, limitId: string, instantMs: number, by: bigint) => number;
  readonly append: (request: AppendRequest__Output) => AppendReply;
  readonly windowTotals: (request: WindowTotalsRequest__Output) => WindowTotalsReply;
  readonly advanceEpoch: (shard: number, fromEpoch: number) => ShardRow;
  readonly checkpoint: (holds: readonly HoldState__Output[]) => void;
}

export function createFakeBooks(): FakeBooks {
  const shards: ShardRow[] = Array.from({ length: SHARDS }, (_, shard) => ({
    shard,
    epoch: 0,
    lastSeq: 0,
    rev: 0,
  }));
  const records = new Map<string, Entry__Output>();
  const windows = new Map<string, bigint>();
  const adjustments: { requestId: string; costNanoUsd: bigint }[] = [];
  const quarantined: Quarantined[] = [];
  const holds = new Map<string, HoldState__Output>();
  const limits = new Map<string, Limit>();

  const row = (shard: number): ShardRow => {
    const found = shards[shard];
    if (found === undefined) throw new RangeError(`no shard ${String(shard)}`);
    return found;
  };

  const keyAt = (limit: Limit, instantMs: number, timeZone: string): string =>
    `${limit.limitId}@${String(windowAt(limit, instantMs, timeZone).startMs)}`;

  const add = (limit: Limit, entry: Entry__Output, amount: bigint): void => {
    const key = keyAt(limit, entry.authorisedAtMs, entry.timeZone);
    windows.set(key, (windows.get(key) ?? 0n) + amount);
  };

  // Returns the limits whose counters must be forgotten.
  const bookOne = (entry: Entry__Output): string[] => {
    const before = records.get(entry.requestId);
    if (before !== undefined && before.mode !== 'ABANDONED') return [];
    // A cancel without an ABANDONED record is a no-op.
    if (before === undefined && entry.mode === 'CANCELLED') return [];
    records.set(entry.requestId, entry);
    const touched = new Set(entry.touched.map(({ limitId }) => limitId));
    const forget: string[] = [];
    for (const limit of limits.values()) {
      if (limit.kind !== 'BUDGET' && limit.kind !== 'QUOTA') continue;
      if (!entry.subject || !limitApplies(limit, entry.subject, entry.modelId)) continue;
      const difference = amountOf(entry, limit) - (before ? amountOf(before, limit) : 0n);
      add(limit, entry, difference);
      if (before !== undefined || !touched.has(limit.limitId)) forget.push(limit.limitId);
    }
    if (before !== undefined) {
      const costNanoUsd = costOf(entry) - costOf(before);
      adjustments.push({ requestId: entry.requestId, costNanoUsd });
    }
    return forget;
  };

  const books: FakeBooks = {
    shards,
    records,
    adjustments,
    quarantined,
    holds,
    limits,
    poison: () => false,
    committed: () => {},
    total: (limitId, instantMs, timeZone = 'UTC') => {
      const limit = limits.get(limitId);
      if (limit === undefined) throw new RangeError(`no limit ${limitId}`);
      return windows.get(keyAt(limit, instantMs, timeZone)) ?? 0n;
    },
    correct: (shard, limitId, instantMs, by) => {
      const limit = limits.get(limitId);
      if (limit === undefined) throw new RangeError(`no limit ${limitId}`);
      const key = keyAt(limit, instantMs, 'UTC');
      windows.set(key, (windows.get(key) ?? 0n) + by);
      row(shard).rev += 1;
      return row(shard).rev;
    },
    append: (request) => {
      const state = row(request.shard);
      if (request.epoch !== state.epoch || request.prev !== state.lastSeq) {
        return { committed: false, state: { ...state } };
      }
      if (request.last - request.prev !== request.entries.length + request.raw.length) {
        throw new GrpcFailure(grpcStatus.INVALID_ARGUMENT, 'entries do not lead there');
      }
      if (request.quarantine) {
        const { shard, last, quarantineReason: reason, entries } = request;
        quarantined.push({ shard, last, reason, entries });
        state.lastSeq = request.last;
        const touched = entries.flatMap((entry) => entry.touched.map(({ limitId }) => limitId));
        return { committed: true, state: { ...state }, forgetLimitIds: touched };
      }
      if (request.entries.some((entry) => books.poison(entry))) {
        throw new GrpcFailure(grpcStatus.INVALID_ARGUMENT, 'an entry cannot be booked');
      }
      const forget = request.entries.flatMap(bookOne);
      state.lastSeq = request.last;
      books.committed();
      return { committed: true, state: { ...state }, forgetLimitIds: [...new Set(forget)] };
    },
    windowTotals: (request) => ({
      state: { ...row(request.shard) },
      totals: request.windows.map(({ limitId, windowStartMs }) => {
        const limit = limits.get(limitId);
        const settled = windows.get(`${limitId}@${String(windowStartMs)}`) ?? 0n;
        return {
          limitId,
          windowStartMs,
          settled: settled.toString(),
          limitFound: limit !== undefined,
          metric: limit?.metric ?? '',
          scopeType: limit?.scopeType ?? '',
          scopeId: limit?.scopeId ?? '',
        };
      }),
    }),
    advanceEpoch: (shard, fromEpoch) => {
      const state = row(shard);
      if (state.epoch === fromEpoch) state.epoch += 1;
      return { ...state };
    },
    checkpoint: (reported) => {
      for (const hold of reported) {
        const before = holds.get(hold.requestId);
        if (before === undefined || before.version <= hold.version) holds.set(hold.requestId, hold);
      }
    },
  };
  return books;
}

function costOf(entry: Entry__Output): bigint {
  return entry.mode === 'CANCELLED' ? 0n : BigInt(entry.settle?.costNanoUsd || '0');
}

function amountOf(entry: Entry__Output, limit: Limit): bigint {
  const { settle } = entry;
  return metricAmount(limit.metric as QuotaMetric, {
    costNanoUsd: costOf(entry),
    usage: settle?.usage ?? emptyUsage(),
    httpStatus: settle?.httpStatus ?? 0,
    outcome: isOneOf(OUTCOMES, settle?.outcome) ? settle.outcome : '',
    upstreamMs: settle?.upstreamMs ?? 0,
    mode: entry.mode as CloseMode,
  });
}
