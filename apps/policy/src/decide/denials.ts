import {
  ERRORS,
  formatUsd,
  limitIdOf,
  SCOPE_WORDS,
  SHORT_WAIT,
  type ErrorCode,
  type LimitKind,
} from '@tollgate/contracts';
import type { Denial, LimitState, Subject } from '@tollgate/contracts/node';

import type { PlannedLimit } from '../directory';
import type { Refusal } from './ask';

/** One limit with the amounts that a decision read. */
export interface Reading {
  readonly limit: Pick<
    PlannedLimit,
    | 'limitId'
    | 'kind'
    | 'metric'
    | 'scopeType'
    | 'scopeId'
    | 'period'
    | 'windowSeconds'
    | 'limit'
    | 'mode'
  >;
  /** The key of the tag, of limits on values of tags, where it is known. */
  readonly tagKey?: string | undefined;
  readonly settled: bigint;
  readonly held: bigint;
  /** What this request needs; 0 when nothing is requested. */
  readonly requested: bigint;
  /** When the window ends, or a rate is free again; 0: unknown. */
  readonly resetsAtMs: number;
  /** When the requested amount fits again; 0: unknown, or never. */
  readonly retryAtMs: number;
}

/**
 * Whether the client sent the bound of the output, or the model's own is held, or the output follows from the request and
 * cannot be bounded.
 */
export type OutputBound = 'REQUESTED' | 'ASSUMED' | 'EXPECTED';

/** What a refused request would have held, in tokens. */
export interface Need {
  readonly inputTokens: number;
  /** Of all its answers; 0: the operation has no output in tokens. */
  readonly outputTokens: number;
  readonly bound: OutputBound;
}

export interface Denied extends Refusal {
  readonly retryAfterMs: number;
  /** The limit that the client is told. */
  readonly limitId: string;
}

const CODE_OF: Readonly<Record<LimitKind, ErrorCode>> = {
  RATE_REQUESTS: 'rate_limit_exceeded',
  RATE_TOKENS: 'rate_limit_exceeded',
  RATE_CONCURRENT: 'rate_limit_exceeded',
  QUOTA: 'quota_exceeded',
  BUDGET: 'budget_exceeded',
};

// When several limits are exceeded, the client is told the first of these.
const ORDER: readonly ErrorCode[] = ['rate_limit_exceeded', 'quota_exceeded', 'budget_exceeded'];

/** The refusal for exceeded hard limits: it names the tightest of the first kind. */
export function refuseByLimits(
  exceeded: readonly Reading[],
  nowMs: number,
  needFor: (limit: Reading['limit']) => Need | undefined = () => undefined,
): Denied {
  const code = ORDER.find((wanted) => exceeded.some(({ limit }) => CODE_OF[limit.kind] === wanted));
  const [tightest] = tightestFirst(exceeded.filter(({ limit }) => CODE_OF[limit.kind] === code));
  if (code === undefined || tightest === undefined) throw new RangeError('no limit is exceeded');
  const need = isOfTokens(tightest) ? needFor(tightest.limit) : undefined;
  return {
    code,
    message: sentence(code, tightest, need),
    details: {
      limit: describe(tightest),
      ...(need === undefined ? {} : { need: described(need) }),
      alsoExceeded: exceeded
        .filter((reading) => reading !== tightest)
        .map(({ limit }) => limitIdOf(limit.limitId)),
    },
    retryAfterMs: retryAfter(tightest, nowMs),
    limitId: limitIdOf(tightest.limit.limitId),
  };
}

/**
 * Limits that fit the fewest more such requests come first. Without a requested amount, limits with
 * the smallest remaining share come first.
 */
export function tightestFirst(readings: readonly Reading[]): Reading[] {
  if (readings.length < 2) return [...readings];
  return readings
    .map((reading) => ({ reading, fitting: fitting(reading), left: leftShare(reading) }))
    .sort((a, b) => a.fitting - b.fitting || a.left - b.left)
    .map(({ reading }) => reading);
}

export function limitStateOf({ limit, settled, held, resetsAtMs }: Reading): LimitState {
  const left = limit.limit - settled - held;
  return {
    ...limitOf(limit, resetsAtMs),
    settled: settled.toString(),
    held: held.toString(),
    remaining: (left > 0n ? left : 0n).toString(),
  };
}

/** A limit whose usage is unknown at the moment. */
export function unknownStateOf(limit: Reading['limit'], resetsAtMs: number): LimitState {
  return { ...limitOf(limit, resetsAtMs), settled: '', held: '', remaining: '' };
}

function limitOf(limit: Reading['limit'], resetsAtMs: number) {
  return {
    limitId: limitIdOf(limit.limitId),
    kind: limit.kind,
    metric: limit.metric,
    scopeType: limit.scopeType,
    scopeId: limit.scopeId,
    limit: limit.limit.toString(),
    resetsAtMs,
    mode: limit.mode,
    period: limit.period,
    windowSeconds: limit.windowSeconds,
  };
}

export function denialOf(
  refusal: Refusal & Partial<Pick<Denied, 'retryAfterMs' | 'limitId'>>,
  subject: Subject | null,
  readings: readonly Reading[] = [],
): Denial {
  return {
    code: refusal.code,
    message: refusal.message ?? ERRORS[refusal.code].sentence,
    detailsJson: refusal.details === undefined ? '' : JSON.stringify(refusal.details),
    retryAfterMs: refusal.retryAfterMs ?? 0,
    subject,
    limits: tightestFirst(readings).map(limitStateOf),
    limitId: refusal.limitId ?? '',
    reason: refusal.reason ?? '',
    retirement: refusal.retirement ?? null,
  };
}

// How many more such requests fit.
function fitting({ limit, settled, held, requested }: Reading): number {
  if (limit.limit === 0n) return -Number.MAX_VALUE;
  const left = Number(limit.limit) - Number(settled) - Number(held);
  if (requested > 0n) return left / Number(requested);
  return left > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
}

// For ordering only, so the precision of doubles is enough.
function leftShare({ limit, settled, held }: Reading): number {
  if (limit.limit === 0n) return -Number.MAX_VALUE;
  return 1 - (Number(settled) + Number(held)) / Number(limit.limit);
}

function describe({ limit, tagKey, settled, held, requested, resetsAtMs }: Reading) {
  const amount = (value: bigint): string | number =>
    limit.metric === 'COST' ? formatUsd(value) : Number(value);
  return {
    id: limitIdOf(limit.limitId),
    kind: limit.kind,
    ...(limit.metric === '' ? {} : { metric: limit.metric }),
    scope: { type: limit.scopeType, id: limit.scopeId, ...(tagKey ? { tagKey } : {}) },
    ...(limit.period === '' ? {} : { period: limit.period }),
    ...(limit.windowSeconds === 0 ? {} : { windowSeconds: limit.windowSeconds }),
    limit: amount(limit.limit),
    spent: amount(settled),
    held: amount(held),
    requested: amount(requested),
    ...(resetsAtMs === 0 ? {} : { resetsAt: new Date(resetsAtMs).toISOString() }),
  };
}

// Limits whose amount a lower output bound makes smaller.
function isOfTokens({ limit: { kind, metric } }: Reading): boolean {
  return kind === 'RATE_TOKENS' || OUTPUT_METRICS.includes(metric);
}

const OUTPUT_METRICS: readonly string[] = ['COST', 'TOKENS', 'TOKENS_OUT'];

function described({ bound, inputTokens, outputTokens }: Need) {
  return { inputTokens, outputTokens, ...(outputTokens > 0 && { outputBound: bound }) };
}

const KIND_NAMES: Readonly<Record<LimitKind, string>> = {
  BUDGET: 'budget',
  QUOTA: 'quota',
  RATE_REQUESTS: 'limit of requests per minute',
  RATE_TOKENS: 'limit of tokens per minute',
  RATE_CONCURRENT: 'limit of concurrent requests',
};

// "The monthly budget of the team would be exceeded: the limit is $10.00, …". Ids are in the details.
function sentence(
  code: ErrorCode,
  { limit, tagKey, settled, held, requested }: Reading,
  need: Need | undefined,
): string {
  const amount = (value: bigint): string =>
    limit.metric === 'COST' ? `$${formatUsd(value)}` : value.toString();
  const period = limit.period === '' ? '' : `${limit.period.toLowerCase()} `;
  const metric = limit.kind === 'QUOTA' ? `${limit.metric} ` : '';
  const scope = `${SCOPE_WORDS[limit.scopeType]}${tagKey ? ` "${tagKey}"` : ''}`;
  const long = limit.period === 'LIFETIME' ? NO_WAIT : LONG_WAIT;
  const wait = code === 'rate_limit_exceeded' ? SHORT_WAIT : long;
  return (
    `The ${period}${metric}${KIND_NAMES[limit.kind]} of the ${scope} would be exceeded: ` +
    `the limit is ${amount(limit.limit)}, spent ${amount(settled)}, held ` +
    `${amount(held)}, this request needs ${amount(requested)}${madeOf(need)}. ` +
    `${need === undefined ? '' : (ADVICE[need.bound] ?? '')}${wait}`
  );
}

function madeOf(need: Need | undefined): string {
  if (need === undefined || need.outputTokens === 0) return '';
  const { inputTokens, outputTokens } = need;
  return ` for ${inputTokens} input tokens and up to ${outputTokens} output tokens`;
}

const ADVICE: Readonly<Partial<Record<OutputBound, string>>> = {
  ASSUMED:
    'It sets no limit of its output, so the most that the model may write is held: send a lower one (max_tokens). ',
  EXPECTED:
    'What it asks for is held: ask for fewer images, a smaller size, a lower quality or a shorter text. ',
};

const LONG_WAIT = 'Wait for its window to end, or ask an administrator to raise it.';

const NO_WAIT = 'This limit never resets: ask an administrator to raise it.';

// Suggested wait for a concurrency limit: it is free when another request ends.
const CONCURRENT_RETRY_MS = 1_000;
const MINUTE_MS = 60_000;

function retryAfter({ limit, requested, resetsAtMs, retryAtMs }: Reading, nowMs: number): number {
  if (requested > limit.limit || limit.limit === 0n) return 0;
  if (limit.kind === 'RATE_CONCURRENT') return CONCURRENT_RETRY_MS;
  if (limit.kind === 'QUOTA' || limit.kind === 'BUDGET') return Math.max(0, resetsAtMs - nowMs);
  // A sliding minute is counted in buckets and can be slightly longer than a minute.
  return Math.min(Math.max(0, retryAtMs - nowMs), MINUTE_MS);
}
