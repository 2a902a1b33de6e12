// SQL for what decisions about keys need. The part of a key, and the part that all keys of its
// organisation share, are separate.

/** An ended price still applies to requests that were authorised under it. */
const PRICE_GRACE = `interval '15 minutes'`;

const IN_FORCE = `l.organisation_id = k.organisation_id AND l.status = 'ACTIVE'`;

/**
 * Limits of one table that bind this key's owner, key or team, found by index for any number of
 * limits.
 */
const ofKey = (table: string, columns: string, also = ''): string[] => [
  `SELECT ${columns} FROM ${table} l ${also}
   WHERE l.scope_id IN (k.team_id, k.user_id, k.id) AND ${IN_FORCE}
     AND ((l.scope_type = 'TEAM' AND l.scope_id = k.team_id)
       OR (l.scope_type = 'USER' AND l.scope_id = k.user_id)
       OR (l.scope_type = 'API_KEY' AND l.scope_id = k.id))`,
];

/** Limits of one table that bind all keys: of the organisation, its active models and MCP servers. */
const ofOrganisation = (table: string, columns: string, also = ''): string[] => [
  `SELECT ${columns} FROM ${table} l ${also}
   WHERE l.scope_id = k.organisation_id AND l.scope_type = 'ORGANISATION' AND ${IN_FORCE}`,
  `SELECT ${columns} FROM ${table} l JOIN model m ON m.id = l.scope_id ${also}
   WHERE l.scope_type = 'MODEL' AND m.organisation_id = k.organisation_id AND m.status = 'ACTIVE'
     AND ${IN_FORCE}`,
  `SELECT ${columns} FROM ${table} l JOIN mcp_server s ON s.id = l.scope_id ${also}
   WHERE l.scope_type = 'MCP_SERVER' AND s.organisation_id = k.organisation_id
     AND s.status = 'ACTIVE' AND ${IN_FORCE}`,
];

const VALUES = `, l.tag_key, l.require_value, l.value_key`;

/** Limits of one table that each value has for itself, of requests of this key. */
const onValues = (table: string, columns: string, also = ''): string[] => [
  `SELECT ${columns}${VALUES} FROM ${table} l ${also}
   WHERE l.scope_id IN (k.organisation_id, k.team_id, k.id) AND ${IN_FORCE}
     AND l.value_key IS NOT NULL`,
];

/** One row for each rate that a limit defines. */
const RATES = `JOIN LATERAL (VALUES
    ('rpm', 'RATE_REQUESTS', l.requests_per_minute::text),
    ('tpm', 'RATE_TOKENS', l.tokens_per_minute::text),
    ('conc', 'RATE_CONCURRENT', l.concurrent_requests::text)
  ) AS rate(suffix, kind, amount) ON rate.amount IS NOT NULL`;

const BUDGET_COLUMNS = `l.id::text, 'BUDGET' AS kind, 'COST' AS metric, l.scope_type, l.scope_id, l.period,
     NULL::integer AS window_seconds, l.limit_nano_usd::text AS amount, l.mode,
     l.clamp_to_budget AS clamp`;

const limits = (binding: typeof ofKey): string =>
  [
    ...binding('budget', BUDGET_COLUMNS),
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
    'steps', p.steps, 'per_request', p.per_request_nano_usd::text, 'per_unit', p.per_unit_nano_usd,
    'tier_percent', p.tier_percent
  ) ORDER BY p.effective_from)
  FROM price p WHERE p.model_id = m.id AND p.effective_from >= coalesce((
    SELECT max(c.effective_from) FROM price c
    WHERE c.model_id = m.id AND c.effective_from <= now() - ${PRICE_GRACE}), '-infinity')`;

const MODELS = `SELECT json_agg(json_build_object(
    'id', m.id, 'name', m.name, 'type', m.type, 'upstream_model', m.upstream_model,
    'context_tokens', m.context_tokens, 'default_max_output_tokens', m.default_max_output_tokens,
    'display_name', m.display_name, 'max_output_tokens', m.max_output_tokens,
    'max_tool_calls', m.max_tool_calls, 'capabilities', m.capabilities,
    'created_at_ms', floor(extract(epoch FROM m.created_at) * 1000)::bigint,
    'provider_id', v.id, 'provider_type', v.type, 'upstream_format', v.upstream_format,
    'native_responses', v.native_responses, 'region', v.region,
    'region_from_version', v.region_from_version, 'allowed_regions', m.allowed_regions,
    'retirement', m.retirement,
    'provider_active', v.status = 'ACTIVE', 'connection_version', v.connection_version,
    'prices', (${PRICES})
  ) ORDER BY m.name)
  FROM model m JOIN provider v ON v.id = m.provider_id
  WHERE m.organisation_id = k.organisation_id AND m.status = 'ACTIVE'`;

const ALIASES = `SELECT json_agg(json_build_object(
    'id', a.id, 'name', a.name, 'display_name', a.display_name, 'targets', a.targets,
    'retirement', a.retirement,
    'created_at_ms', floor(extract(epoch FROM a.created_at) * 1000)::bigint
  ) ORDER BY a.name)
  FROM model_alias a WHERE a.organisation_id = k.organisation_id`;

const EXPERIMENTS = `SELECT json_agg(json_build_object(
    'id', e.id, 'name', e.name, 'model', e.model, 'arms', e.arms,
    'starts_at_ms', coalesce(floor(extract(epoch FROM e.starts_at) * 1000)::bigint, 0),
    'ends_at_ms', coalesce(floor(extract(epoch FROM e.ends_at) * 1000)::bigint, 0),
    'shadow', e.shadow,
    'shadow_budget', (SELECT row_to_json(b) FROM (
      SELECT ${BUDGET_COLUMNS} FROM budget l
      WHERE e.shadow IS NOT NULL AND l.scope_id = e.id AND l.scope_type = 'API_KEY' AND ${IN_FORCE}
      ORDER BY l.id LIMIT 1) AS b)
  ) ORDER BY e.name)
  FROM experiment e WHERE e.organisation_id = k.organisation_id AND e.status = 'ACTIVE'`;

const MCP_SERVERS = `SELECT json_agg(json_build_object(
    'id', s.id, 'identifier', s.identifier, 'connection_version', s.connection_version,
    'call', s.call_nano_usd::text, 'tools', s.tool_nano_usd, 'charge_failures', s.charge_failures,
    'rules', s.rules, 'pins', s.pinned_tools, 'region', s.region
  ) ORDER BY s.id)
  FROM mcp_server s WHERE s.organisation_id = k.organisation_id AND s.status = 'ACTIVE'`;

// In the wire's form.
const PASSTHROUGH = `SELECT json_agg(json_build_object(
    'providerId', v.id, 'name', v.name, 'providerType', v.type, 'upstreamFormat', v.upstream_format,
    'connectionVersion', v.connection_version, 'region', coalesce(v.region, ''),
    'rules', v.passthrough_rules
  ) ORDER BY v.id)
  FROM provider v WHERE v.organisation_id = k.organisation_id AND v.status = 'ACTIVE'
    AND v.passthrough_rules <> '[]'`;

// Code runs in the gateway, and sends nothing.
const SCREENING_SERVICES = `SELECT coalesce(json_agg(json_build_object(
    'identifier', v.identifier, 'region', coalesce(v.region, '')
  ) ORDER BY v.identifier), '[]')
  FROM screening_service v
  WHERE v.organisation_id = s.organisation_id AND v.protocol ->> 'type' <> 'JAVASCRIPT'
    AND v.identifier IN (SELECT rule ->> 'service' FROM jsonb_array_elements(s.rules) AS rule)`;

const SCREENING = `SELECT json_agg(json_build_object(
    'policyId', s.id, 'version', s.version, 'attachedTo', s.attached_to,
    'services', (${SCREENING_SERVICES})
  ) ORDER BY s.id)
  FROM screening_policy s
  WHERE s.organisation_id = k.organisation_id AND s.status = 'ACTIVE'
    AND s.rules <> '[]' AND s.attached_to <> '[]'`;

// Sorted, because the digest needs the same text for the same content.
const ORGANISATION = `SELECT json_build_object(
    'models', (${MODELS}),
    'aliases', (${ALIASES}),
    'experiments', (${EXPERIMENTS}),
    'mcp_servers', (${MCP_SERVERS}),
    'screening', (${SCREENING}),
    'passthrough', (${PASSTHROUGH}),
    'limits', (SELECT json_agg(l ORDER BY l.id) FROM (${limits(ofOrganisation)}) AS l))::text`;

/**
 * One row for each key of $1 (SHA-256), in that order; the organisation's part is in its first row
 * only. A single statement is a single snapshot, so everything is as of `outbox_seq`.
 */
export const RESOLVE_KEYS = `
  SELECT coalesce((SELECT max(seq) FROM outbox_event), 0) AS outbox_seq,
    k.id, k.name, k.type, k.organisation_id, k.team_id, k.user_id, k.status AS key_status,
    k.expires_at, o.slug, o.status AS organisation_status, o.time_zone, o.open_compat_routes,
    o.route_compat_requests, o.tell_upstream_model, o.send_output_bound,
    o.trace_content, o.keep_decisions, o.allowed_regions AS regions_of_organisation,
    t.allowed_regions AS regions_of_team, k.allowed_regions AS regions_of_key,
    k.passthrough_provider_ids::text[] AS passthrough_provider_ids,
    o.tag_keys, o.refuse_unknown_tags, k.trusted_attribution,
    coalesce(k.response_cache, o.response_cache) AS response_cache, o.response_cache_ttl_seconds,
    o.response_cache_price_percent, o.response_cache_generation,
    o.keep_request_bodies, o.keep_answer_bodies, o.kept_bodies_percent, o.kept_bodies_only_failed, k.keep_bodies,
    o.routing_enabled, u.status AS user_status, t.status AS team_status,
    CASE WHEN k.id IS NOT NULL
      AND row_number() OVER (PARTITION BY k.organisation_id ORDER BY asked.place) = 1
      THEN (${ORGANISATION}) END AS organisation,
    (SELECT json_agg(l) FROM (${limits(ofKey)}) AS l) AS limits,
    (SELECT json_agg(l) FROM (${limits(onValues)}) AS l) AS value_limits,
    ARRAY(SELECT a.model_id::text FROM api_key_model_access a WHERE a.api_key_id = k.id) AS granted,
    (SELECT json_agg(json_build_object('kind', g.kind, 'providerId', coalesce(g.provider_id::text, ''),
        'pattern', coalesce(g.pattern, '')) ORDER BY g.place)
      FROM api_key_model_grant g WHERE g.api_key_id = k.id) AS model_grants,
    (SELECT json_agg(json_build_object('id', s.id, 'rules', g.rules) ORDER BY s.id)
      FROM api_key_mcp_access g JOIN mcp_server s ON s.id = g.mcp_server_id
      WHERE g.api_key_id = k.id AND s.status = 'ACTIVE') AS mcp_grants,
    (SELECT to_jsonb(r) FROM routing_policy r WHERE o.routing_enabled AND r.status = 'ACTIVE'
      AND r.organisation_id = k.organisation_id AND r.id = k.routing_policy_id) AS routing_policy
  FROM unnest($1::bytea[]) WITH ORDINALITY AS asked(key_sha256, place)
  LEFT JOIN api_key k ON k.key_sha256 = asked.key_sha256
  LEFT JOIN organisation o ON o.id = k.organisation_id
  LEFT JOIN user_account u ON u.id = k.user_id
  LEFT JOIN team t ON t.id = k.team_id
  ORDER BY asked.place`;
