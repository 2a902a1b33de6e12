import type { Pool } from 'pg';

/**
 * The columns behind keys' contexts, by table: their changes must be announced to the data plane.
 */
const READ: Readonly<Record<string, string>> = {
  api_key: `INSERT OR DELETE OR UPDATE OF key_sha256, name, type, team_id, user_id, status, expires_at,
    routing_policy_id, allowed_regions, trusted_attribution, response_cache, keep_bodies,
    passthrough_provider_ids`,
  api_key_model_access: 'INSERT OR UPDATE OR DELETE',
  api_key_model_grant: 'INSERT OR UPDATE OR DELETE',
  api_key_mcp_access: 'INSERT OR UPDATE OR DELETE',
  mcp_server: `INSERT OR DELETE OR UPDATE OF status, connection_version, call_nano_usd, tool_nano_usd,
    charge_failures, rules, pinned_tools, region`,
  organisation: `DELETE OR UPDATE OF slug, status, time_zone, open_compat_routes, route_compat_requests,
    tell_upstream_model, send_output_bound, trace_content, keep_decisions,
    tag_keys, refuse_unknown_tags, routing_enabled, allowed_regions, response_cache,
    response_cache_ttl_seconds, response_cache_price_percent, response_cache_generation, keep_request_bodies,
    keep_answer_bodies, kept_bodies_percent, kept_bodies_only_failed`,
  user_account: 'DELETE OR UPDATE OF status',
  team: 'DELETE OR UPDATE OF status, allowed_regions',
  routing_policy: 'UPDATE OR DELETE',
  budget: 'INSERT OR UPDATE OR DELETE',
  quota: 'INSERT OR UPDATE OR DELETE',
  rate_limit: 'INSERT OR UPDATE OR DELETE',
  model: 'INSERT OR UPDATE OR DELETE',
  experiment: 'INSERT OR UPDATE OR DELETE',
  model_alias: 'INSERT OR UPDATE OR DELETE',
  provider:
    'DELETE OR UPDATE OF type, upstream_format, native_responses, status, connection_version, region, passthrough_rules',
  price: 'INSERT OR UPDATE OR DELETE',
};

/**
 * From here on, a change by the management API (one with an audit event) to what keys' contexts
 * contain fails at commit unless it wrote news to the outbox. Policies rely on that: while up to
 * date with the outbox, they keep serving their cache.
 */
export async function demandNews(pool: Pool): Promise<void> {
  await pool.query(`
    CREATE OR REPLACE FUNCTION demand_news() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE mine CONSTANT xid := pg_current_xact_id()::xid;
    BEGIN
      IF (SELECT xmin FROM audit_event ORDER BY id DESC LIMIT 1) = mine
        -- Whoever writes news holds a lock until the commit: no later row than ours can be seen.
        AND (SELECT xmin FROM outbox_event ORDER BY seq DESC LIMIT 1) IS DISTINCT FROM mine
      THEN
        RAISE EXCEPTION 'no news of % of %: %', TG_OP, TG_TABLE_NAME, coalesce(to_jsonb(NEW), to_jsonb(OLD));
      END IF;
      RETURN NULL;
    END $$`);
  for (const [table, changes] of Object.entries(READ)) {
    await pool.query(`DROP TRIGGER IF EXISTS demand_news ON ${table}`);
    await pool.query(`CREATE CONSTRAINT TRIGGER demand_news AFTER ${changes} ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION demand_news()`);
  }
}
