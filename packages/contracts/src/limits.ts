// Limits of every kind, the requests they bind, and what one ledger entry adds to them. Policy uses
// these functions when a hold closes and the catalog when it books, so that both sums agree.
import {
  BUDGET_PERIODS,
  isOneOf,
  LIMIT_KINDS,
  LIMIT_MODES,
  QUOTA_METRICS,
  SCOPE_TYPES,
  type BudgetPeriod,
  type CloseMode,
  type LimitKind,
  type LimitMode,
  type Outcome,
  type QuotaMetric,
  type ScopeType,
} from './enums';
import type { Limit as LimitInput } from './generated/tollgate/catalog/v1/Limit';
import type { NanoUsd } from './money';
import { tokensIn, tokensOut, type TokenUsage } from './prices';

export interface Limit {
  /** The row's id; the parts of a rate limit end in `:rpm`, `:tpm`, `:conc`. */
  readonly limitId: string;
  readonly kind: LimitKind;
  /** COST for a budget; empty for rates. */
  readonly metric: QuotaMetric | '';
  readonly scopeType: ScopeType;
  readonly scopeId: string;
  /** Empty with `windowSeconds`, and for rates. */
  readonly period: BudgetPeriod | '';
  /** 0 with `period`. */
  readonly windowSeconds: number;
  /** Nano-USD for money, else a count. */
  readonly limit: bigint;
  readonly mode: LimitMode;
  /** Lower the output bound to what is left instead of refusing. */
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

/** What a request is for; an absent or empty id: none. */
export interface LimitTarget {
  readonly modelId?: string | null;
  readonly mcpServerId?: string | null;
}

/** Whether a request of this subject for this target counts towards the limit. */
export function limitApplies(
  limit: Pick<Limit, 'scopeType' | 'scopeId'>,
  subject: LimitSubject,
  { modelId, mcpServerId }: LimitTarget,
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
    case 'MCP_SERVER':
      return limit.scopeId === mcpServerId;
  }
}

/** Figures of a closed request; for an abandoned one, the held amounts. */
export interface MetricEntry {
  readonly costNanoUsd: NanoUsd;
  readonly usage: TokenUsage;
  /** Status of the client's answer; 0: none. */
  readonly httpStatus: number;
  readonly outcome: Outcome | '';
  /** Milliseconds spent waiting for upstreams, over all attempts. */
  readonly upstreamMs: number;
  readonly mode: CloseMode;
  readonly operation: string;
}

/**
 * What one ledger entry adds to a limit of this metric. A cancelled request adds nothing, and an
 * `mcp_request` (a list, a handshake) adds only what it costs.
 */
export function metricAmount(metric: QuotaMetric, entry: MetricEntry): bigint {
  if (entry.mode === 'CANCELLED') return 0n;
  if (entry.operation === 'mcp_request' && metric !== 'COST') return 0n;
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

// An error is a failure of the gateway or the upstream. A request that the upstream rejects as
// wrong (4xx except 429) is the caller's, and a client that disconnects is no error.
function isError(entry: MetricEntry): boolean {
  if (entry.httpStatus >= 500 || entry.outcome === 'PARTIAL') return true;
  return entry.outcome === 'FAILED' && (entry.httpStatus < 400 || entry.httpStatus === 429);
}

/** Decodes a limit. A RangeError names the invalid field. */
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
