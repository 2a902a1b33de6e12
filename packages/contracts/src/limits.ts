// Limits of every kind, whom they bind, and what one ledger entry adds to them. Policy counts with
// these functions when a hold closes and catalog when it books, so that both come to the same sum.
import type {
  BudgetPeriod,
  CloseMode,
  LimitKind,
  LimitMode,
  Outcome,
  QuotaMetric,
  ScopeType,
} from './enums';
import {
  BUDGET_PERIODS,
  LIMIT_KINDS,
  LIMIT_MODES,
  QUOTA_METRICS,
  SCOPE_TYPES,
  isOneOf,
} from './enums';
import type { Limit as LimitInput } from './generated/tollgate/catalog/v1/Limit';
import type { NanoUsd } from './money';
import type { TokenUsage } from './prices';
import { tokensIn, tokensOut } from './prices';

export interface Limit {
  /** The row's id; the parts of a rate limit end in `:rpm`, `:tpm`, `:conc`. */
  readonly limitId: string;
  readonly kind: LimitKind;
  /** COST for a budget; empty for rates. */
  readonly metric: QuotaMetric | '';
  readonly scopeType: ScopeType;
  readonly scopeId: string;
  /** Empty where `windowSeconds` says the window, and for rates. */
  readonly period: BudgetPeriod | '';
  /** 0 where `period` says the window. */
  readonly windowSeconds: number;
  /** Nano-USD for money, else a count. */
  readonly limit: bigint;
  readonly mode: LimitMode;
  /** Lower the output bound to what is left rather than refuse. */
  readonly clamp: boolean;
}

export interface LimitSubject {
  readonly organisationId: string;
  /** Empty: none. */
  readonly teamId: string;
  /** Empty: none. */
  readonly userId: string;
  readonly apiKeyId: string;
}

/** Whether a request of this subject to this model counts towards the limit. */
export function limitApplies(
  limit: Pick<Limit, 'scopeType' | 'scopeId'>,
  subject: LimitSubject,
  modelId: string,
): boolean {
  if (limit.scopeId === '') return false;
  switch (limit.scopeType) {
    case 'ORGANISATION':
      return limit.scopeId === subject.organisationId;
    case 'TEAM':
      return limit.scopeId === subject.teamId;
    case 'USER':
      return limit.scopeId === subject.userId;
    case 'API_KEY':
      return limit.scopeId === subject.apiKeyId;
    case 'MODEL':
      return limit.scopeId === modelId;
  }
}

/** What a closed request says of itself; for an abandoned one, what was held for it. */
export interface MetricEntry {
  readonly costNanoUsd: NanoUsd;
  readonly usage: TokenUsage;
  /** What the client was answered; 0: nothing. */
  readonly httpStatus: number;
  readonly outcome: Outcome | '';
  /** Milliseconds spent waiting for upstreams, all attempts together. */
  readonly upstreamMs: number;
  readonly mode: CloseMode;
}

/** What one ledger entry adds to a limit of this metric. A cancelled request adds nothing. */
export function metricAmount(metric: QuotaMetric, entry: MetricEntry): bigint {
  if (entry.mode === 'CANCELLED') return 0n;
  switch (metric) {
    case 'REQUESTS':
      return 1n;
    case 'TOKENS':
      return BigInt(tokensIn(entry.usage) + tokensOut(entry.usage));
    case 'TOKENS_IN':
      return BigInt(tokensIn(entry.usage));
    case 'TOKENS_OUT':
      return BigInt(tokensOut(entry.usage));
    case 'ERRORS':
      return isError(entry) ? 1n : 0n;
    case 'COST':
      return entry.costNanoUsd;
    case 'LATENCY_MS':
      return BigInt(entry.upstreamMs);
  }
}

// An error is the gateway's or the upstream's failure. A request that the upstream refused as wrong
// (any 4xx but 429) is the caller's own, and a caller who hangs up has not met an error.
function isError(entry: MetricEntry): boolean {
  if (entry.httpStatus >= 500 || entry.outcome === 'PARTIAL') return true;
  return entry.outcome === 'FAILED' && (entry.httpStatus < 400 || entry.httpStatus === 429);
}

/** A limit as it came over the wire. A RangeError names the field that cannot be. */
export function limitFromWire(wire: LimitInput): Limit {
  const limitId = wire.limitId ?? '';
  const fail = (field: string): never => {
    throw new RangeError(`limit ${limitId}: ${field} is not known`);
  };
  const { kind, metric = '', scopeType, period = '', mode } = wire;
  if (!/^\d{1,19}$/.test(wire.limit ?? '')) fail('limit');
  return {
    limitId,
    kind: isOneOf(LIMIT_KINDS, kind) ? kind : fail('kind'),
    metric: metric === '' || isOneOf(QUOTA_METRICS, metric) ? metric : fail('metric'),
    scopeType: isOneOf(SCOPE_TYPES, scopeType) ? scopeType : fail('scopeType'),
    scopeId: wire.scopeId ?? '',
    period: period === '' || isOneOf(BUDGET_PERIODS, period) ? period : fail('period'),
    windowSeconds: Number(wire.windowSeconds ?? 0),
    limit: BigInt(wire.limit ?? ''),
    mode: isOneOf(LIMIT_MODES, mode) ? mode : fail('mode'),
    clamp: wire.clamp ?? false,
  };
}

export function limitToWire(limit: Limit) {
  return { ...limit, limit: limit.limit.toString() };
}
