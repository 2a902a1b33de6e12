import { formatUsd, type RouteFamily } from '@tollgate/contracts';
import type { LimitState__Output } from '@tollgate/contracts/node';

/** The rate limits for which SDKs read headers. */
const RATES = { RATE_REQUESTS: 'requests', RATE_TOKENS: 'tokens' } as const;

type Rate = (typeof RATES)[keyof typeof RATES];

/** A vendor's rate-limit headers: their names, and the format of a reset time. */
interface Convention {
  /** Keyed by the kind of limit. */
  names: Readonly<Record<string, Names | undefined>>;
  reset: (atMs: number, nowMs: number) => string;
}

interface Names {
  limit: string;
  remaining: string;
  reset: string;
}

const OPENAI: Convention = {
  names: namesOf((rate, field) => `x-ratelimit-${field}-${rate}`),
  reset: (atMs, nowMs) => wait(atMs - nowMs),
};

const ANTHROPIC: Convention = {
  names: namesOf((rate, field) => `anthropic-ratelimit-${rate}-${field}`),
  // RFC 3339 in whole seconds, as this vendor writes it; rounded up.
  reset: (atMs, nowMs) =>
    new Date(Math.ceil(Math.max(atMs, nowMs) / 1_000) * 1_000).toISOString().replace('.000Z', 'Z'),
};

function namesOf(name: (rate: Rate, field: keyof Names) => string): Convention['names'] {
  const rows = Object.entries(RATES).map(([kind, rate]) => [
    kind,
    { limit: name(rate, 'limit'), remaining: name(rate, 'remaining'), reset: name(rate, 'reset') },
  ]);
  return Object.fromEntries(rows);
}

/**
 * Headers with what is left of the tightest limits, so that the client can pace itself; added to
 * `headers`. `freedNanoUsd` is what each budget regains when the request settles: its hold minus
 * its cost, if known.
 */
export function limitHeaders(
  family: RouteFamily,
  limits: readonly LimitState__Output[],
  nowMs: number,
  freedNanoUsd = 0n,
  headers: Record<string, string> = {},
): Record<string, string> {
  const convention = family === 'anthropic' ? ANTHROPIC : OPENAI;
  const least: Record<string, bigint | undefined> = {};
  for (const limit of limits) {
    const { kind } = limit;
    const names = convention.names[kind];
    if (names === undefined && kind !== 'BUDGET') continue;
    if (limit.mode === 'SOFT' && limits.some((other) => isHard(other, kind))) continue;
    const left = remaining(limit, names === undefined ? freedNanoUsd : 0n);
    const known = least[kind];
    if (known !== undefined && known <= left) continue;
    least[kind] = left;
    if (names === undefined) {
      headers['x-tollgate-budget-remaining-usd'] = formatUsd(left);
      continue;
    }
    headers[names.limit] = limit.limit;
    headers[names.remaining] = left.toString();
    headers[names.reset] = convention.reset(limit.resetsAtMs, nowMs);
  }
  return headers;
}

/** A soft limit refuses nothing, so it is reported only if no hard limit of its kind exists. */
function isHard({ mode, kind }: LimitState__Output, wanted: string): boolean {
  return mode !== 'SOFT' && kind === wanted;
}

/**
 * The soft limits that this request exceeds, as a structured field (RFC 9651): a list of kinds with
 * the scope, the metric or period, and the limit's id. Empty if it exceeds none.
 */
export function softExceeded(
  limits: readonly LimitState__Output[],
  exceededIds: readonly string[],
): string {
  if (exceededIds.length === 0) return '';
  return limits
    .filter(({ limitId }) => exceededIds.includes(limitId))
    .map(({ limitId, kind, metric, scopeType, period, windowSeconds }) =>
      [
        kind,
        `scope=${scopeType}`,
        ...(kind === 'QUOTA' ? [`metric=${metric}`] : []),
        ...(period === '' ? [] : [`period=${period}`]),
        ...(windowSeconds === 0 ? [] : [`window=${String(windowSeconds)}`]),
        `id="${limitId}"`,
      ].join(';'),
    )
    .join(', ');
}

function remaining(limit: LimitState__Output, freed: bigint): bigint {
  const left = amount(limit.limit) - amount(limit.settled) - amount(limit.held) + freed;
  return left > 0n ? left : 0n;
}

function amount(text: string): bigint {
  return text === '' ? 0n : BigInt(text);
}

/** In the format that SDK users know: `45ms`, `1.5s`, `6m0s`. */
function wait(ms: number): string {
  if (ms <= 0) return '0s';
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  if (ms < 60_000) return `${Math.ceil(ms / 100) / 10}s`;
  const seconds = Math.ceil(ms / 1_000);
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
