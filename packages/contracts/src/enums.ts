// The enumerations of the interface: a list for validation, a union for the compiler.

export const ROLES = ['SUPER_ADMIN', 'ORG_ADMIN', 'MANAGER', 'USER'] as const;
export type Role = (typeof ROLES)[number];

export const API_KEY_TYPES = ['ORGANISATION', 'TEAM', 'USER'] as const;
export type ApiKeyType = (typeof API_KEY_TYPES)[number];

/** How a key uses the response cache. ON_REQUEST: only for requests that ask for it. */
export const RESPONSE_CACHE_MODES = ['OFF', 'ON', 'ON_REQUEST'] as const;
export type ResponseCacheMode = (typeof RESPONSE_CACHE_MODES)[number];

/** What a record says of the response cache. BYPASS: the key has the cache, and the request did not use it. */
export const RESPONSE_CACHE_RESULTS = ['HIT', 'MISS', 'BYPASS'] as const;
export type ResponseCacheResult = (typeof RESPONSE_CACHE_RESULTS)[number];

/** Whose decisions an organisation keeps with what they are made of. */
export const DECISIONS_KEPT = ['OFF', 'REFUSED', 'ALL'] as const;
export type DecisionsKept = (typeof DECISIONS_KEPT)[number];

/**
 * Why a body was not kept. NOT_TEXT: a file, or of a kind that is not assembled. UNREADABLE: it could not be parsed.
 * MASKED: texts that a rule masked could not be masked again.
 */
export const BODY_LEFT_OUT = [
  'BLOCKED',
  'DAY_FULL',
  'MASKED',
  'NONE',
  'NOT_TEXT',
  'QUEUE_FULL',
  'TOO_LARGE',
  'UNREADABLE',
] as const;
export type BodyLeftOut = (typeof BODY_LEFT_OUT)[number];

export const PROVIDER_TYPES = [
  'PROVIDER_A',
  'PROVIDER_B',
  'PROVIDER_C',
  'PROVIDER_F',
  'PROVIDER_D',
  'CUSTOM',
  'PROVIDER_G',
  'PROVIDER_H',
] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

export const MODEL_TYPES = [
  'chat',
  'reasoning',
  'image',
  'embeddings',
  'audio',
  'moderation',
  'transcription',
  'tts',
] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

export const MCP_TRANSPORTS = ['STREAMABLE_HTTP', 'SSE', 'STDIO'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** LIFETIME never ends; only limits on each end user, session or tag have it. */
export const BUDGET_PERIODS = ['DAILY', 'WEEKLY', 'MONTHLY', 'QUARTERLY', 'LIFETIME'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const QUOTA_METRICS = [
  'REQUESTS',
  'TOKENS',
  'TOKENS_IN',
  'TOKENS_OUT',
  'ERRORS',
  'COST',
  'LATENCY_MS',
] as const;
export type QuotaMetric = (typeof QUOTA_METRICS)[number];

export const LIMIT_KINDS = [
  'BUDGET',
  'QUOTA',
  'RATE_REQUESTS',
  'RATE_TOKENS',
  'RATE_CONCURRENT',
] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** HARD refuses what would exceed the limit; SOFT only reports it. */
export const LIMIT_MODES = ['HARD', 'SOFT'] as const;
export type LimitMode = (typeof LIMIT_MODES)[number];

/** Policy's store depends on the order: a new one goes to the end. */
export const SCOPE_TYPES = [
  'ORGANISATION',
  'TEAM',
  'USER',
  'API_KEY',
  'MODEL',
  'MCP_SERVER',
] as const;
export type ScopeType = (typeof SCOPE_TYPES)[number];

/**
 * Scopes of limits that are templates: each value that requests name has the whole limit for itself. The id of
 * such a scope is the organisation, team or key whose requests are counted.
 */
export const VALUE_SCOPES = ['END_USER', 'SESSION', 'TAG'] as const;
export type ValueScope = (typeof VALUE_SCOPES)[number];

/** What a limit can bind. */
export const LIMIT_SCOPES = [...SCOPE_TYPES, ...VALUE_SCOPES] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

/** Inside a sentence. */
export const SCOPE_WORDS: Readonly<Record<LimitScope, string>> = {
  ORGANISATION: 'organisation',
  TEAM: 'team',
  USER: 'user',
  API_KEY: 'API key',
  MODEL: 'model',
  MCP_SERVER: 'MCP server',
  END_USER: 'end user',
  SESSION: 'session',
  TAG: 'tag',
};

/** How a request ended, in its record. */
export const OUTCOMES = [
  'COMPLETED',
  'PARTIAL',
  'FAILED',
  'BUDGET_STOPPED',
  'CLIENT_CLOSED',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const USAGE_QUALITIES = ['EXACT', 'ESTIMATED', 'UNKNOWN'] as const;
export type UsageQuality = (typeof USAGE_QUALITIES)[number];

/** How a hold is closed: once, except that a late settle or cancel may follow an ABANDONED one. */
export const CLOSE_MODES = ['SETTLED', 'CANCELLED', 'ABANDONED'] as const;
export type CloseMode = (typeof CLOSE_MODES)[number];

/** RESOLVED: an operator has accepted the charge of an abandoned hold. */
export const HOLD_STATES = ['HELD', ...CLOSE_MODES, 'RESOLVED'] as const;
export type HoldStateName = (typeof HOLD_STATES)[number];

/** In which order a routing policy tries its candidates. */
export const ROUTING_STRATEGIES = [
  'failover',
  'priority',
  'round_robin',
  'weighted',
  'lowest_latency',
  'lowest_cost',
] as const;
export type RoutingStrategy = (typeof ROUTING_STRATEGIES)[number];

/** Failures after which the next candidate is tried. */
export const FAILOVER_TRIGGERS = ['5xx', 'timeout', 'rate_limit', 'any'] as const;
export type FailoverTrigger = (typeof FAILOVER_TRIGGERS)[number];

/** Capabilities that a request may need and some models lack. */
export const CAPABILITIES = ['tools', 'vision', 'audio'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** States of the breaker of one model at its provider. */
export const UPSTREAM_STATES = ['CLOSED', 'OPEN', 'HALF_OPEN'] as const;
export type UpstreamState = (typeof UPSTREAM_STATES)[number];

/** Whether an external text is one of a list's values. */
export function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return (list as readonly unknown[]).includes(value);
}
