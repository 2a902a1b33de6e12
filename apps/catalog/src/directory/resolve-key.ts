import { shardOf, vendorByType, type ProviderType } from '@tollgate/contracts';
import type { KeyContext, Limit, ModelEntry, ResolveKeyReply } from '@tollgate/contracts/node';
import type { Pool } from 'pg';
import type { StoredPriceStep } from '../resources/models/price.entity';
import { routingPolicyOf, type StoredRoutingPolicy } from './routing-policy';

type StoredPrice = {
  id: string;
  effective_from_ms: number;
  steps: StoredPriceStep[];
  per_request: string;
  per_unit: Record<string, string>;
};

type StoredModel = {
  id: string;
  name: string;
  type: string;
  upstream_model: string;
  context_tokens: number;
  default_max_output_tokens: number | null;
  display_name: string | null;
  max_output_tokens: number | null;
  capabilities: string[] | null;
  created_at_ms: number;
  provider_id: string;
  provider_type: ProviderType;
  upstream_format: string;
  provider_active: boolean;
  connection_version: number;
  granted: boolean;
  prices: StoredPrice[] | null;
};

type StoredLimit = {
  id: string;
  kind: string;
  metric: string;
  scope_type: string;
  scope_id: string;
  period: string | null;
  window_seconds: number | null;
  amount: string;
  mode: string;
  clamp: boolean;
};

type KeyRow = {
  outbox_seq: bigint;
  id: string | null;
  name: string;
  type: string;
  organisation_id: string;
  team_id: string | null;
  user_id: string | null;
  key_status: string;
  expires_at: Date | null;
  slug: string;
  organisation_status: string;
  time_zone: string;
  open_compat_routes: boolean;
  route_compat_requests: boolean;
  routing_enabled: boolean;
  user_status: string | null;
  team_status: string | null;
  models: StoredModel[] | null;
  limits: StoredLimit[] | null;
  mcp_server_ids: string[] | null;
  routing_policy: StoredRoutingPolicy | null;
};

/** A price that has just ended still holds for requests that were authorised under it. */
const PRICE_GRACE = `interval '15 minutes'`;

const SUBJECT = {
  ORGANISATION: 'organisation_id',
  TEAM: 'team_id',
  USER: 'user_id',
  API_KEY: 'id',
};
const SUBJECT_IDS = Object.values(SUBJECT).map((column) => `k.${column}`);
const SUBJECT_SCOPES = Object.entries(SUBJECT).map(
  ([scope, column]) => `(l.scope_type = '${scope}' AND l.scope_id = k.${column})`,
);

const IN_FORCE = `l.organisation_id = k.organisation_id AND l.status = 'ACTIVE'`;

/**
 * SQL: limits of one table that bind this key. Those of its subject are found by their ids, however many
 * limits the organisation has; a limit of a model binds whoever uses it.
 */
const binding = (table: string, columns: string, also = ''): string[] => [
  `SELECT ${columns} FROM ${table} l ${also}
   WHERE l.scope_id IN (${SUBJECT_IDS.join(', ')}) AND (${SUBJECT_SCOPES.join(' OR ')})
     AND ${IN_FORCE}`,
  `SELECT ${columns} FROM ${table} l JOIN model m ON m.id = l.scope_id ${also}
   WHERE l.scope_type = 'MODEL' AND m.organisation_id = k.organisation_id AND m.status = 'ACTIVE'
     AND ${IN_FORCE}`,
];

/** A row for each of the rates that a limit has. */
const RATES = `JOIN LATERAL (VALUES
    ('rpm', 'RATE_REQUESTS', l.requests_per_minute::text),
    ('tpm', 'RATE_TOKENS', l.tokens_per_minute::text),
    ('conc', 'RATE_CONCURRENT', l.concurrent_requests::text)
  ) AS rate(suffix, kind, amount) ON rate.amount IS NOT NULL`;

const LIMITS = [
  ...binding(
    'budget',
    `l.id::text, 'BUDGET' AS kind, 'COST' AS metric, l.scope_type, l.scope_id, l.period,
     NULL::integer AS window_seconds, l.limit_nano_usd::text AS amount, l.mode,
     l.clamp_to_budget AS clamp`,
  ),
  ...binding(
    'quota',
    `l.id::text, 'QUOTA', l.metric, l.scope_type, l.scope_id, l.period, l.window_seconds,
     l.limit_amount::text, l.mode, false`,
  ),
  ...binding(
    'rate_limit',
    `l.id || ':' || rate.suffix, rate.kind, '', l.scope_type, l.scope_id, NULL, NULL, rate.amount,
     l.mode, false`,
    RATES,
  ),
].join(' UNION ALL ');

const PRICES = `SELECT json_agg(json_build_object(
    'id', p.id, 'effective_from_ms', floor(extract(epoch FROM p.effective_from) * 1000)::bigint,
    'steps', p.steps, 'per_request', p.per_request_nano_usd::text, 'per_unit', p.per_unit_nano_usd
  ) ORDER BY p.effective_from)
  FROM price p WHERE p.model_id = m.id AND p.effective_from >= coalesce((
    SELECT max(c.effective_from) FROM price c
    WHERE c.model_id = m.id AND c.effective_from <= now() - ${PRICE_GRACE}), '-infinity')`;

const MODELS = `SELECT json_agg(json_build_object(
    'id', m.id, 'name', m.name, 'type', m.type, 'upstream_model', m.upstream_model,
    'context_tokens', m.context_tokens, 'default_max_output_tokens', m.default_max_output_tokens,
    'display_name', m.display_name, 'max_output_tokens', m.max_output_tokens,
    'capabilities', m.capabilities,
    'created_at_ms', floor(extract(epoch FROM m.created_at) * 1000)::bigint,
    'provider_id', v.id, 'provider_type', v.type, 'upstream_format', v.upstream_format,
    'provider_active', v.status = 'ACTIVE', 'connection_version', v.connection_version,
    'granted', EXISTS (
      SELECT FROM api_key_model_access a WHERE a.api_key_id = k.id AND a.model_id = m.id),
    'prices', (${PRICES})
  ) ORDER BY m.name)
  FROM model m JOIN provider v ON v.id = m.provider_id
  WHERE m.organisation_id = k.organisation_id AND m.status = 'ACTIVE'`;

/** One statement is one snapshot: everything in the answer is of the same moment as `outbox_seq`. */
const RESOLVE = `
  SELECT coalesce((SELECT max(seq) FROM outbox_event), 0) AS outbox_seq,
    k.id, k.name, k.type, k.organisation_id, k.team_id, k.user_id, k.status AS key_status,
    k.expires_at, o.slug, o.status AS organisation_status, o.time_zone, o.open_compat_routes,
    o.route_compat_requests, o.routing_enabled, u.status AS user_status, t.status AS team_status,
    (${MODELS}) AS models,
    (SELECT json_agg(l) FROM (${LIMITS}) AS l) AS limits,
    (SELECT json_agg(s.id) FROM api_key_mcp_access g JOIN mcp_server s ON s.id = g.mcp_server_id
      WHERE g.api_key_id = k.id AND s.status = 'ACTIVE') AS mcp_server_ids,
    (SELECT to_jsonb(r) FROM routing_policy r WHERE o.routing_enabled AND r.status = 'ACTIVE'
      AND r.organisation_id = k.organisation_id AND r.id = k.routing_policy_id) AS routing_policy
  FROM (VALUES (1)) AS always
  LEFT JOIN api_key k ON k.key_sha256 = $1
  LEFT JOIN organisation o ON o.id = k.organisation_id
  LEFT JOIN user_account u ON u.id = k.user_id
  LEFT JOIN team t ON t.id = k.team_id`;

/** Everything that a decision about one key needs. An unknown key is an answer: `found` is false. */
export async function resolveKey(pool: Pool, keySha256: Buffer): Promise<ResolveKeyReply> {
  if (keySha256.length !== 32) throw new RangeError('key_sha256 has 32 bytes');
  const { rows } = await pool.query<KeyRow>({
    name: 'directory-resolve-key',
    text: RESOLVE,
    values: [keySha256],
  });
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that always has a row had none');
  const outboxSeq = Number(row.outbox_seq);
  if (row.id === null) return { found: false, context: null, outboxSeq };
  return { found: true, context: contextOf(row, row.id), outboxSeq };
}

function contextOf(row: KeyRow, apiKeyId: string): KeyContext {
  const reason = inactiveReason(row);
  return {
    subject: {
      organisationId: row.organisation_id,
      teamId: row.team_id ?? '',
      userId: row.user_id ?? '',
      apiKeyId,
      apiKeyName: row.name,
      apiKeyType: row.type,
      organisationSlug: row.slug,
    },
    active: reason === '',
    inactiveReason: reason,
    expiresAtMs: row.expires_at?.getTime() ?? 0,
    timeZone: row.time_zone,
    openCompatRoutes: row.open_compat_routes,
    routeCompatRequests: row.route_compat_requests,
    routingEnabled: row.routing_enabled,
    models: (row.models ?? []).map(modelOf),
    limits: (row.limits ?? []).map(limitOf),
    mcpServerIds: row.mcp_server_ids ?? [],
    shard: shardOf(row.organisation_id),
    routingPolicy: row.routing_policy && routingPolicyOf(row.routing_policy),
  };
}

function inactiveReason(row: KeyRow): string {
  if (row.key_status !== 'ACTIVE') return `the key is ${row.key_status}`;
  if (row.organisation_status !== 'ACTIVE') return `the organisation is ${row.organisation_status}`;
  if (row.user_status !== null && row.user_status !== 'ACTIVE')
    return `the user is ${row.user_status}`;
  if (row.team_status !== null && row.team_status !== 'ACTIVE')
    return `the team is ${row.team_status}`;
  return '';
}

function modelOf(model: StoredModel): ModelEntry {
  return {
    modelId: model.id,
    name: model.name,
    type: model.type,
    upstreamModel: model.upstream_model,
    providerId: model.provider_id,
    providerType: model.provider_type,
    providerLabel: vendorByType(model.provider_type).label,
    upstreamFormat: model.upstream_format,
    providerActive: model.provider_active,
    connectionVersion: model.connection_version,
    contextTokens: model.context_tokens,
    defaultMaxOutputTokens: model.default_max_output_tokens ?? 0,
    displayName: model.display_name ?? '',
    maxOutputTokens: model.max_output_tokens ?? 0,
    capabilities: model.capabilities === null ? '' : model.capabilities.join(',') || 'none',
    granted: model.granted,
    prices: (model.prices ?? []).map(priceOf),
    createdAtMs: model.created_at_ms,
  };
}

function priceOf(price: StoredPrice) {
  return {
    priceId: price.id,
    effectiveFromMs: price.effective_from_ms,
    steps: price.steps.map((step) => ({
      fromInputTokens: step.fromInputTokens,
      input: step.input,
      cacheRead: step.cacheRead,
      cacheWrite5m: step.cacheWrite5m,
      cacheWrite1h: step.cacheWrite1h,
      audioInput: step.audioInput,
      output: step.output,
      audioOutput: step.audioOutput,
    })),
    perRequestNanoUsd: price.per_request,
    perUnitNanoUsd: price.per_unit,
  };
}

function limitOf(limit: StoredLimit): Limit {
  return {
    limitId: limit.id,
    kind: limit.kind,
    metric: limit.metric,
    scopeType: limit.scope_type,
    scopeId: limit.scope_id,
    period: limit.period ?? '',
    windowSeconds: limit.window_seconds ?? 0,
    limit: limit.amount,
    mode: limit.mode,
    clamp: limit.clamp,
  };
}
