import { VALUE_MARK, type QuotaMetric, type ScopeType } from '@tollgate/contracts';
import fc from 'fast-check';

import type {
  BookItem,
  CloseItem,
  CounterKind,
  CounterRef,
  ExtendItem,
  SeedItem,
  Store,
} from '../..';
import type { Bench } from '../backends';
import { usage } from '../requests';
import {
  createFakeCatalog,
  matches,
  windowOf,
  type FakeCatalog,
  type FakeLimit,
} from '../simulation/fake-catalog';
import { createModel, type Model, type ModelSnapshot } from './shard';

// The random parts of a run: limits, and steps with numbers that select a request and an amount.
// And the store calls of requests.

export const LEASE_MS = 3_000;
export const GRACE_MS = 2_000;
export const START = 1_800_000_000_000;
export const EDGES = 2;

export type ModelLimit = FakeLimit & { kind: CounterKind; soft: boolean };

const KINDS: [kind: CounterKind, metric: QuotaMetric, smallest: number, largest: number][] = [
  ['WINDOW', 'COST', 100, 900],
  ['WINDOW', 'COST', 100, 900],
  ['WINDOW', 'TOKENS', 60, 450],
  ['WINDOW', 'REQUESTS', 2, 12],
  ['POST_PAID', 'ERRORS', 1, 4],
  ['POST_PAID', 'LATENCY_MS', 50, 600],
  ['RATE', 'REQUESTS', 3, 20],
  ['RATE', 'TOKENS', 100, 900],
  ['CONCURRENCY', 'REQUESTS', 1, 6],
];
const SCOPES: [ScopeType, string][] = [
  ['ORGANISATION', 'o1'],
  ['TEAM', 't1'],
  ['USER', 'u1'],
  ['API_KEY', 'k1'],
  ['MODEL', 'm1'],
];

const limit = fc.record({
  kind: fc.constantFrom(...KINDS),
  scope: fc.constantFrom(...SCOPES),
  windowMs: fc.constantFrom(4_000, 10_000, 60_000),
  size: fc.nat({ max: 1_000 }),
  soft: fc.nat({ max: 4 }),
  /** 0: the limit is one on each value. */
  each: fc.nat({ max: 2 }),
});

/** Steps by relative frequency. */
const WEIGHTS = {
  authorize: 34,
  retry: 5,
  settle: 14,
  resend: 5,
  extend: 11,
  sweep: 4,
  abandonEarly: 2,
  orphan: 3,
  drain: 8,
  deliver: 8,
  readTotals: 4,
  arrive: 4,
  correct: 2,
  tick: 9,
  longTick: 4,
  changeLimit: 1,
  crashEdge: 2,
  crashPolicy: 2,
  lend: 12,
  reclaim: 3,
  restart: 1,
  empty: 1,
  snapshot: 2,
  rollBack: 1,
  recover: 3,
} as const;
export type StepKind = keyof typeof WEIGHTS;

const kinds = Object.entries(WEIGHTS).map(([kind, weight]) => ({
  weight,
  arbitrary: fc.constant(kind as StepKind),
}));
const step = fc.record({
  kind: fc.oneof(...kinds),
  a: fc.nat({ max: 9_999 }),
  b: fc.nat({ max: 9_999 }),
  c: fc.nat({ max: 9_999 }),
});
export interface Step {
  kind: StepKind;
  a: number;
  b: number;
  c: number;
}

export const run = fc.record({
  limits: fc.array(limit, { minLength: 2, maxLength: 7, size: 'max' }),
  steps: fc.array(step, { minLength: 10, maxLength: 90, size: 'max' }),
});
export type Run = typeof run extends fc.Arbitrary<infer T> ? T : never;

export interface Amounts {
  cost: bigint;
  tokens: bigint;
}
export type Counter = CounterRef & { limit: bigint; soft: boolean; amount: bigint };

export interface Request {
  id: string;
  /** −1: its edge is gone. */
  edge: number;
  dimensions: CloseItem['dimensions'];
  at: number;
  leaseUntil: number;
  step: number;
  /** Granted steps. */
  steps: ExtendItem[];
  counters: Counter[];
  held: Amounts;
  /** When it was first authorised. */
  askedAt: number;
  /** Number of authorize calls. */
  calls: number;
  /** Unanswered calls: each may be cancelled as an orphan. */
  unheard: string[];
  /** Its end, decided once by its edge; null: not yet, or unknown. */
  end: CloseItem | null;
  /** Ledger number at which the close is booked and need not be resent. */
  settledSeq: number;
  corrected: bigint;
}

export interface PendingBook {
  item: BookItem;
  mustArrive: boolean;
}

export interface World {
  bench: Bench;
  store: Store;
  shard: number;
  limits: ModelLimit[];
  model: Model;
  catalog: FakeCatalog;
  /** The epoch that the policies know. */
  epoch: number;
  requests: Request[];
  seeds: SeedItem[];
  books: PendingBook[];
  /** Committed entries that nobody will book: their policy is gone. */
  orphaned: boolean;
  saved: ModelSnapshot | null;
  /** Data loss, or ended holds were forgotten: entries may repeat. */
  mayRepeat: boolean;
  /** Number of stream entries by request, without late ones. */
  entries: Map<string, number>;
  /** The last compared ledger number. */
  seen: number;
  said: string[];
  /** Of each policy that has floats. */
  generations: number[];
}

export function createWorld(bench: Bench, store: Store, shard: number, drawn: Run): World {
  const limits = drawn.limits.flatMap((one, i): ModelLimit[] => {
    const { kind: row, scope, windowMs, size, soft, each } = one;
    const [kind, metric, smallest, largest] = row;
    const [scopeType, scopeId] = scope;
    const cap = BigInt(smallest + (size % (largest - smallest + 1)));
    const limitId = `l${String(i)}`;
    const limit = { limitId, kind, metric, scopeType, scopeId, windowMs, cap, soft: soft === 0 };
    if (each > 0 || !windowed({ kind })) return [limit];
    return valuesOf(scopeType).map((value) => ({
      ...limit,
      limitId: `${limitId}${VALUE_MARK}e${value.padEnd(22, 'x')}`,
      scopeId: value,
    }));
  });
  return {
    bench,
    store,
    shard,
    limits,
    model: createModel(),
    catalog: createFakeCatalog(limits.filter(windowed)),
    epoch: 0,
    requests: [],
    seeds: [],
    books: [],
    orphaned: false,
    saved: null,
    mayRepeat: false,
    entries: new Map(),
    seen: 0,
    said: [],
    generations: [],
  };
}

/** The values of a limit on each: the dimension of a request stands for its value. */
const valuesOf = (scopeType: ScopeType): string[] => {
  const first = SCOPES.find(([type]) => type === scopeType)?.[1] ?? '';
  return scopeType === 'USER' || scopeType === 'API_KEY' || scopeType === 'MODEL'
    ? [first, first.replace('1', '2')]
    : [first];
};

export const windowed = ({ kind }: Pick<CounterRef, 'kind'>): boolean =>
  kind === 'WINDOW' || kind === 'POST_PAID';

export function newRequest(w: World, { a, b, c }: Step): Request {
  const bit = (n: number): boolean => ((a >> n) & 1) === 1;
  return {
    id: `r${String(w.requests.length)}-${String(b)}`,
    edge: c % EDGES,
    dimensions: {
      ORGANISATION: 'o1',
      TEAM: bit(0) ? 't1' : '',
      USER: bit(1) ? 'u1' : 'u2',
      API_KEY: bit(2) ? 'k1' : 'k2',
      MODEL: bit(3) ? 'm1' : 'm2',
      MCP_SERVER: '',
    },
    at: 0,
    leaseUntil: 0,
    step: 0,
    steps: [],
    counters: [],
    held: { cost: BigInt(1 + (b % 150)), tokens: BigInt(b % 80) },
    askedAt: w.model.now(),
    calls: 0,
    unheard: [],
    end: null,
    settledSeq: 0,
    corrected: 0n,
  };
}

/** The amount that a limit holds. */
export function amountOf({ kind, metric }: ModelLimit, { cost, tokens }: Amounts): bigint {
  if (kind === 'POST_PAID') return 0n;
  if (kind === 'CONCURRENCY' || metric === 'REQUESTS') return 1n;
  return metric === 'COST' ? cost : tokens;
}

export function countersOf(w: World, r: Request, at: number): Counter[] {
  return w.limits
    .filter((one) => matches(one, r.dimensions))
    .map((one) => {
      const { limitId, kind, cap, soft } = one;
      const window = windowed(one) ? windowOf(one, at) : { windowStartMs: 0, windowEndMs: 0 };
      return { limitId, kind, ...window, limit: cap, soft, amount: amountOf(one, r.held) };
    });
}

export function limitOf(w: World, id: string): ModelLimit {
  const one = w.limits.find(({ limitId }) => limitId === id);
  if (one === undefined) throw new Error(`no limit ${id}`);
  return one;
}

export const ticketTextOf = ({ cost, tokens }: Amounts): string =>
  `${String(cost)} ${String(tokens)}`;

export function amountsOf(ticketText: string): Amounts {
  const [cost = 0n, tokens = 0n] = ticketText.split(' ').map(BigInt);
  return { cost, tokens };
}

/** A close of this request at these amounts; `failed` counts as an error of 37 ms. */
export function closeItem(
  w: World,
  r: Request,
  mode: CloseItem['mode'],
  spent: Amounts,
  failed: boolean,
): CloseItem {
  const charged = mode !== 'CANCELLED';
  const vector = charged
    ? usage({
        COST: spent.cost,
        TOKENS: spent.tokens,
        ERRORS: failed ? 1n : 0n,
        LATENCY_MS: mode === 'SETTLED' ? 37n : 0n,
      })
    : usage({ REQUESTS: 0n });
  return {
    shard: w.shard,
    epoch: w.epoch,
    requestId: r.id,
    mode,
    authorisedAtMs: r.at,
    leaseUntilMs: r.leaseUntil,
    counters: r.counters.map(({ limitId, kind, windowStartMs, windowEndMs }) => ({
      limitId,
      kind,
      windowStartMs,
      windowEndMs,
      spent: kind === 'CONCURRENCY' ? 0n : vector[limitOf(w, limitId).metric],
    })),
    usage: vector,
    dimensions: r.dimensions,
    payload: `${mode} ${r.id}`,
  };
}

/** The list item that a drawn number selects; undefined: the list is empty. */
export const nth = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
