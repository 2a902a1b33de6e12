import {
  metricAmount,
  QUOTA_METRICS,
  tokensIn,
  tokensOut,
  windowAt,
  type CloseMode,
  type QuotaMetric,
  type TokenUsage,
  type Window,
} from '@tollgate/contracts';

import { heldAmount, stepAmount, type HoldSize, type Reading } from '../decide';
import { limitWithId, type KeyPlan, type ModelPlan, type PlannedLimit } from '../directory';
import {
  clampAmount,
  type AuthorizeCounter,
  type CloseCounter,
  type CounterKind,
  type CounterState,
  type ExtendCounter,
  type UsageVector,
} from '../store';
import { isFloodLimit } from './mcp';
import type { HeldLimit } from './ticket';

// The store's counters for limits, with window and amount: when a hold is taken, extended and
// ended, side by side.

const NO_WINDOW: Window = { startMs: 0, endMs: 0 };

export function counterKind(limit: Pick<HeldLimit, 'kind' | 'metric'>): CounterKind {
  switch (limit.kind) {
    case 'RATE_REQUESTS':
    case 'RATE_TOKENS':
      return 'RATE';
    case 'RATE_CONCURRENT':
      return 'CONCURRENCY';
    case 'BUDGET':
      return 'WINDOW';
    case 'QUOTA':
      return limit.metric === 'ERRORS' || limit.metric === 'LATENCY_MS' ? 'POST_PAID' : 'WINDOW';
  }
}

/** Every limit that counts a request with these candidates. */
export function countedLimits(
  candidates: readonly { readonly model: ModelPlan }[],
): readonly PlannedLimit[] {
  const [first, ...rest] = candidates;
  if (first === undefined) throw new Error('a decision needs a candidate');
  if (rest.length === 0) return first.model.limits;
  const all = candidates.flatMap(({ model }) => model.limits);
  return [...new Map(all.map((limit) => [limit.limitId, limit])).values()];
}

/** The limits with their windows at an instant and the amounts that the request holds. */
export function heldLimits(
  limits: readonly PlannedLimit[],
  size: HoldSize,
  nowMs: number,
  timeZone: string,
): HeldLimit[] {
  return limits.map((limit) => {
    const window = limit.rate ? NO_WINDOW : windowAt(limit, nowMs, timeZone);
    return {
      limitId: limit.limitId,
      kind: limit.kind,
      metric: limit.metric,
      scopeType: limit.scopeType,
      scopeId: limit.scopeId,
      period: limit.period,
      windowSeconds: limit.windowSeconds,
      limit: limit.limit,
      mode: limit.mode,
      windowStartMs: window.startMs,
      windowEndMs: window.endMs,
      held: clampAmount(heldAmount(limit, size)),
    };
  });
}

export function authorizeCounters(limits: readonly HeldLimit[]): AuthorizeCounter[] {
  return limits.map((limit) => ({
    limitId: limit.limitId,
    kind: counterKind(limit),
    windowStartMs: limit.windowStartMs,
    windowEndMs: limit.windowEndMs,
    limit: limit.limit,
    soft: limit.mode === 'SOFT',
    amount: limit.held,
  }));
}

/** What a step adds to a hold. */
export interface Step {
  readonly inputTokens: number;
  /** Of all choices together. */
  readonly outputTokens: number;
  readonly costNanoUsd: bigint;
}

/** The attempt that a step belongs to, where there are several candidates. */
export interface Stepping {
  readonly modelId?: string;
  readonly further?: Further;
}

/** A further attempt runs beside or after another one, and either may answer. */
export interface Further {
  /** Models that may have been called before it. */
  readonly asked: ReadonlySet<string>;
  /** What is held for the whole request, this step included. */
  readonly whole: Step;
}

/** The limits after a step of one candidate. */
export function grownLimits(
  limits: readonly HeldLimit[],
  stepping: Stepping,
  step: Step,
): HeldLimit[] {
  return limits.map((limit) => ({ ...limit, held: clampAmount(grownTo(limit, stepping, step)) }));
}

function grownTo(limit: HeldLimit, { modelId = '', further }: Stepping, step: Step): bigint {
  const { held, kind, scopeId, scopeType } = limit;
  const more = held + stepAmount(limit, step);
  if (further === undefined) return concerns(limit, modelId) ? more : held;
  if (scopeType !== 'MODEL') return more;
  // A model's rates count its own attempts, one of which is held from the start. Its budgets and
  // quotas are charged with the usage of all attempts when it answers.
  if (kind !== 'BUDGET' && kind !== 'QUOTA') return held;
  if (scopeId !== modelId) return further.asked.has(scopeId) ? more : held;
  const whole = stepAmount(limit, further.whole);
  return whole > held ? whole : held;
}

// Of several candidates, only the one in use counts for its model's own limits.
function concerns({ scopeType, scopeId }: HeldLimit, modelId: string): boolean {
  return scopeType !== 'MODEL' || modelId === '' || scopeId === modelId;
}

/**
 * The limits with their current values, where the directory is known: a lowered limit refuses the
 * next step. A deleted limit is still counted but refuses nothing, except to a shadow: it stays bounded when its
 * experiment ends.
 */
export function presentLimits(
  limits: readonly HeldLimit[],
  plan: KeyPlan | undefined,
  isShadow = false,
): readonly HeldLimit[] {
  if (plan === undefined) return limits;
  return limits.map((limit) => {
    const now = limitWithId(plan, limit.limitId);
    if (now === undefined) return isShadow ? limit : { ...limit, mode: 'SOFT' };
    return { ...limit, limit: now.limit, mode: now.mode };
  });
}

export function extendCounters(
  before: readonly HeldLimit[],
  after: readonly HeldLimit[],
): ExtendCounter[] {
  return before.map((limit, index) => ({
    limitId: limit.limitId,
    kind: counterKind(limit),
    windowStartMs: limit.windowStartMs,
    windowEndMs: limit.windowEndMs,
    limit: limit.limit,
    soft: limit.mode === 'SOFT',
    base: limit.held,
    total: after[index]?.held ?? limit.held,
  }));
}

/** What an entry adds to a limit of each metric. */
export function usageVector(entry: Parameters<typeof metricAmount>[1]): UsageVector {
  const vector: Partial<Record<QuotaMetric, bigint>> = {};
  for (const metric of QUOTA_METRICS) vector[metric] = clampAmount(metricAmount(metric, entry));
  return vector as UsageVector;
}

/** The usage of one of several candidates. */
export type ModelShare = Pick<UsageVector, 'REQUESTS' | 'TOKENS'>;

/** The candidate that answered, where there are several. */
export interface Answering {
  readonly modelId?: string;
  readonly shares?: ReadonlyMap<string, ModelShare>;
}

export function closeCounters(
  limits: readonly HeldLimit[],
  mode: CloseMode,
  usage: UsageVector,
  { modelId = '', shares }: Answering,
): CloseCounter[] {
  return limits.map((limit) => {
    const share = limit.scopeType === 'MODEL' ? shares?.get(limit.scopeId) : undefined;
    return {
      limitId: limit.limitId,
      kind: counterKind(limit),
      windowStartMs: limit.windowStartMs,
      windowEndMs: limit.windowEndMs,
      spent: closedAmount(limit, mode, () =>
        spentOf(limit, usage, concerns(limit, modelId), share),
      ),
    };
  });
}

// The limit against floods keeps its count: requests to a server that is away would else be free.
function closedAmount(limit: HeldLimit, mode: CloseMode, spent: () => bigint): bigint {
  if (isFloodLimit(limit)) return 1n;
  return mode === 'CANCELLED' ? 0n : spent();
}

// A model's rates exist only here and count its own usage. The books know one model per request, so
// budgets and quotas of the answering model are charged with all usage.
function spentOf(
  limit: HeldLimit,
  usage: UsageVector,
  concerned: boolean,
  share: ModelShare | undefined,
): bigint {
  switch (limit.kind) {
    case 'BUDGET':
      return concerned ? usage.COST : 0n;
    case 'QUOTA':
      return concerned && limit.metric !== '' ? usage[limit.metric] : 0n;
    case 'RATE_REQUESTS':
      return share?.REQUESTS ?? (concerned ? usage.REQUESTS : 0n);
    case 'RATE_TOKENS':
      return share?.TOKENS ?? (concerned ? usage.TOKENS : 0n);
    case 'RATE_CONCURRENT':
      return 0n;
  }
}

/** Usage by model in the attempts of a request; the answering model has the rest. */
export function sharesOf(
  attempts: readonly { readonly modelId: string; readonly usage: TokenUsage | null }[],
  usage: UsageVector,
  modelId: string,
): ReadonlyMap<string, ModelShare> {
  const shares = new Map<string, ModelShare>();
  let rest = usage.TOKENS;
  for (const attempt of attempts) {
    if (attempt.modelId === modelId) continue;
    const used = attempt.usage === null ? 0n : tokensOf(attempt.usage);
    const tokens = used > rest ? rest : used;
    rest -= tokens;
    const before = shares.get(attempt.modelId)?.TOKENS ?? 0n;
    shares.set(attempt.modelId, { REQUESTS: 1n, TOKENS: before + tokens });
  }
  return shares.set(modelId, { REQUESTS: usage.REQUESTS, TOKENS: rest });
}

function tokensOf(usage: TokenUsage): bigint {
  const tokens = tokensIn(usage) + tokensOut(usage);
  return Number.isSafeInteger(tokens) && tokens > 0 ? BigInt(tokens) : 0n;
}

/** The limits with the amounts that a script read; unknown ones are left out. */
export function readingsOf(
  limits: readonly HeldLimit[],
  states: readonly CounterState[],
  requested: (limit: HeldLimit, index: number) => bigint,
): Reading[] {
  const readings: Reading[] = [];
  for (const [index, limit] of limits.entries()) {
    // Scripts reply in the order of their arguments; only an earlier hold can have other limits.
    const state =
      states[index]?.limitId === limit.limitId
        ? states[index]
        : states.find(({ limitId }) => limitId === limit.limitId);
    if (state === undefined || state.settled === null) continue;
    readings.push({
      limit,
      settled: state.settled,
      held: state.held,
      requested: requested(limit, index),
      resetsAtMs: limit.period === 'LIFETIME' ? 0 : limit.windowEndMs || state.freeAtMs,
      retryAtMs: state.retryAtMs,
    });
  }
  return readings;
}
