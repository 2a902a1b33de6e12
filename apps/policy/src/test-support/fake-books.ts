import {
  emptyUsage,
  isOneOf,
  isValueCounter,
  limitApplies,
  limitIdOf,
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

interface Books extends FakeBooks {
  readonly shards: ShardRow[];
  readonly records: Map<string, Entry__Output>;
  /** The sums, by limit and start of the window. */
  readonly windows: Map<string, bigint>;
  readonly adjustments: { requestId: string; costNanoUsd: bigint }[];
  readonly quarantined: Quarantined[];
  readonly holds: Map<string, HoldState__Output>;
}

export function createFakeBooks(): FakeBooks {
  const books: Books = {
    shards: Array.from({ length: SHARDS }, (_, shard) => ({
      shard,
      epoch: 0,
      lastSeq: 0,
      rev: 0,
    })),
    records: new Map(),
    windows: new Map(),
    adjustments: [],
    quarantined: [],
    holds: new Map(),
    limits: new Map(),
    poison: () => false,
    committed: () => {},
    total: (limitId, instantMs, timeZone = 'UTC') =>
      books.windows.get(keyAt(limitOf(books, limitId), instantMs, timeZone)) ?? 0n,
    correct: (shard, limitId, instantMs, by) => {
      const key = keyAt(limitOf(books, limitId), instantMs, 'UTC');
      books.windows.set(key, (books.windows.get(key) ?? 0n) + by);
      const state = row(books, shard);
      state.rev += 1;
      return state.rev;
    },
    append: (request) => append(books, request),
    windowTotals: (request) => windowTotals(books, request),
    advanceEpoch: (shard, fromEpoch) => {
      const state = row(books, shard);
      if (state.epoch === fromEpoch) state.epoch += 1;
      return { ...state };
    },
    checkpoint: (reported) => {
      for (const hold of reported) {
        const before = books.holds.get(hold.requestId);
        if (before === undefined || before.version <= hold.version) {
          books.holds.set(hold.requestId, hold);
        }
      }
    },
  };
  return books;
}

function row({ shards }: Books, shard: number): ShardRow {
  const found = shards[shard];
  if (found === undefined) throw new RangeError(`no shard ${String(shard)}`);
  return found;
}

function limitOf({ limits }: Pick<Books, 'limits'>, limitId: string): Limit {
  const limit = limits.get(limitIdOf(limitId));
  if (limit === undefined) throw new RangeError(`no limit ${limitId}`);
  return { ...limit, limitId };
}

function keyAt(limit: Limit, instantMs: number, timeZone: string): string {
  return `${limit.limitId}@${String(windowAt(limit, instantMs, timeZone).startMs)}`;
}

function append(books: Books, request: AppendRequest__Output): AppendReply {
  const state = row(books, request.shard);
  if (request.epoch !== state.epoch || request.prev !== state.lastSeq) {
    return { committed: false, state: { ...state } };
  }
  if (request.last - request.prev !== request.entries.length + request.raw.length) {
    throw new GrpcFailure(grpcStatus.INVALID_ARGUMENT, 'entries do not lead there');
  }
  if (request.quarantine) {
    const { shard, last, quarantineReason: reason, entries } = request;
    books.quarantined.push({ shard, last, reason, entries });
    state.lastSeq = request.last;
    const touched = entries.flatMap((entry) => entry.touched.map(({ limitId }) => limitId));
    return { committed: true, state: { ...state }, forgetLimitIds: touched };
  }
  if (request.entries.some((entry) => books.poison(entry))) {
    throw new GrpcFailure(grpcStatus.INVALID_ARGUMENT, 'an entry cannot be booked');
  }
  const forget = request.entries.flatMap((entry) => bookOne(books, entry));
  state.lastSeq = request.last;
  books.committed();
  return { committed: true, state: { ...state }, forgetLimitIds: [...new Set(forget)] };
}

// Returns the limits whose counters must be forgotten.
function bookOne({ records, limits, windows, adjustments }: Books, entry: Entry__Output): string[] {
  const before = records.get(entry.requestId);
  if (before !== undefined && before.mode !== 'ABANDONED') return matching(limits, entry);
  // A cancel without an ABANDONED record is a no-op.
  if (before === undefined && entry.mode === 'CANCELLED') return [];
  records.set(entry.requestId, entry);
  const touched = new Set(entry.touched.map(({ limitId }) => limitId));
  const forget: string[] = [];
  for (const limitId of matching(limits, entry)) {
    const limit = limitOf({ limits }, limitId);
    const difference = amountOf(entry, limit) - (before ? amountOf(before, limit) : 0n);
    const key = keyAt(limit, entry.authorisedAtMs, entry.timeZone);
    windows.set(key, (windows.get(key) ?? 0n) + difference);
    if (before !== undefined || !touched.has(limit.limitId)) forget.push(limit.limitId);
  }
  if (before !== undefined) {
    const costNanoUsd = costOf(entry) - costOf(before);
    adjustments.push({ requestId: entry.requestId, costNanoUsd });
  }
  return forget;
}

// Of a second close the store may have charged what a seed had counted already.
function matching(limits: Books['limits'], entry: Entry__Output): string[] {
  const { subject } = entry;
  if (subject === null) return [];
  return [...limits.values()]
    .filter(({ kind }) => kind === 'BUDGET' || kind === 'QUOTA')
    .filter((limit) => limitApplies(limit, subject, targetOf(entry)))
    .map(({ limitId }) => limitId)
    .concat(entry.touched.map(({ limitId }) => limitId).filter(isValueCounter));
}

function windowTotals(books: Books, request: WindowTotalsRequest__Output): WindowTotalsReply {
  return {
    state: { ...row(books, request.shard) },
    totals: request.windows.map(({ limitId, windowStartMs }) => {
      const limit = books.limits.get(limitIdOf(limitId));
      const settled = books.windows.get(`${limitId}@${String(windowStartMs)}`) ?? 0n;
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
  };
}

const targetOf = ({ modelId, mcp }: Entry__Output) => ({
  modelId,
  mcpServerId: mcp?.serverId ?? null,
});

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
    operation: entry.operation,
  });
}
