// Limits of every kind, the requests they bind, and what one ledger entry adds to them. Policy uses
// these functions when a hold closes and the catalog when it books, so that both sums agree.
import {
  BUDGET_PERIODS,
  isOneOf,
  LIMIT_KINDS,
  LIMIT_MODES,
  LIMIT_SCOPES,
  QUOTA_METRICS,
  VALUE_SCOPES,
  type BudgetPeriod,
  type CloseMode,
  type LimitKind,
  type LimitMode,
  type LimitScope,
  type Outcome,
  type QuotaMetric,
  type ValueScope,
} from './enums';
import type { Limit as LimitInput } from './generated/tollgate/catalog/v1/Limit';
import type { ValueLimit as ValueLimitInput } from './generated/tollgate/catalog/v1/ValueLimit';
import type { NanoUsd } from './money';
import { tokensIn, tokensOut, type TokenUsage } from './token-usage';

export interface Limit {
  /** The row's id; the parts of a rate limit end in `:rpm`, `:tpm`, `:conc`. */
  readonly limitId: string;
  readonly kind: LimitKind;
  /** COST for a budget; empty for rates. */
  readonly metric: QuotaMetric | '';
  readonly scopeType: LimitScope;
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
    // Their counters depend on the values that a request names, too: see ValueLimit.
    case 'END_USER':
    case 'SESSION':
    case 'TAG':
      return false;
  }
}

/** A limit that each end user, session or value of a tag has for itself. */
export interface ValueLimit extends Limit {
  readonly scopeType: ValueScope;
  /** The key of the tag; empty for end users and sessions. */
  readonly tagKey: string;
  /** A request that names no value is refused; otherwise the limit does not count it. */
  readonly requireValue: boolean;
  /** Keys the hash by which counters name a value. It never changes: another one would forget what was spent. */
  readonly valueKey: string;
}

/** Stands between the id of a limit and the hash of a value in the id of a counter. */
export const VALUE_MARK = '~';

/** Whether a counter is of one value of a limit. */
export const isValueCounter = (counterId: string): boolean => counterId.includes(VALUE_MARK);

/** The id of a counter's limit: its own, or without the hash of its value. */
export function limitIdOf(counterId: string): string {
  const mark = counterId.indexOf(VALUE_MARK);
  return mark === -1 ? counterId : counterId.slice(0, mark);
}

export const isValueScope = (scope: LimitScope): scope is ValueScope =>
  isOneOf(VALUE_SCOPES, scope);

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
    scopeType: isOneOf(LIMIT_SCOPES, scopeType) ? scopeType : fail('scopeType'),
    scopeId: wire.scopeId ?? '',
    period: period === '' || isOneOf(BUDGET_PERIODS, period) ? period : fail('period'),
    windowSeconds: Number(wire.windowSeconds ?? 0),
    limit: BigInt(wire.limit ?? ''),
    mode: isOneOf(LIMIT_MODES, mode) ? mode : fail('mode'),
    clamp: wire.clamp ?? false,
  };
}

/** Decodes a limit on each value. A RangeError names the invalid field. */
export function valueLimitFromWire(wire: ValueLimitInput): ValueLimit {
  const { limit: own, tagKey = '', valueKey = '', requireValue = false } = wire;
  if (!own) throw new RangeError('a limit on each value has no limit');
  const limit = limitFromWire(own);
  const { scopeType } = limit;
  if (!isValueScope(scopeType)) {
    throw new RangeError(`limit ${limit.limitId}: its scope has no values`);
  }
  if ((scopeType === 'TAG') === (tagKey === '')) {
    throw new RangeError(`limit ${limit.limitId}: tagKey is not known`);
  }
  if (valueKey === '') throw new RangeError(`limit ${limit.limitId}: valueKey is not known`);
  return { ...limit, scopeType, tagKey, requireValue, valueKey };
}

export function limitToWire(limit: Limit) {
  return { ...limit, limit: limit.limit.toString() };
}
