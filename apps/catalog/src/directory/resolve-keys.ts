import { createHash } from 'node:crypto';
import { shardOf, vendorByType, type ProviderType, type rest } from '@tollgate/contracts';
import type {
  KeyContext,
  ModelEntry,
  OrganisationContext,
  PassthroughProvider,
  ResolvedKey,
  ResolveKeysReply,
  ScreeningEntry,
} from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { allowedRegionsOf, withoutRegions, type RegionColumns } from './allowed-regions';
import { attributionOf, type AttributionRow } from './attribution';
import { experimentOf, type StoredExperiment } from './experiments';
import { keptBodiesOf, type KeptBodiesRow } from './kept-bodies';
import { limitOf, valueLimitOf, type StoredLimit, type StoredValueLimit } from './limits';
import { mcpGrantOf, mcpServerOf, type StoredMcpGrant, type StoredMcpServer } from './mcp-servers';
import { priceOf, type StoredPrice } from './prices';
import { RESOLVE_KEYS } from './resolve-sql';
import { responseCacheOf, type ResponseCacheRow } from './response-cache';
import { aliasOf, retirementOf, type StoredAlias } from './retirement';
import { routingPolicyOf, type StoredRoutingPolicy } from './routing-policy';

interface StoredModel {
  id: string;
  name: string;
  type: string;
  upstream_model: string;
  context_tokens: number;
  default_max_output_tokens: number | null;
  display_name: string | null;
  max_output_tokens: number | null;
  max_tool_calls: number;
  capabilities: string[] | null;
  created_at_ms: number;
  provider_id: string;
  provider_type: ProviderType;
  upstream_format: string;
  native_responses: boolean;
  region: string | null;
  region_from_version: number;
  allowed_regions: string[];
  retirement: rest.Retirement | null;
  provider_active: boolean;
  connection_version: number;
  prices: StoredPrice[] | null;
}

interface StoredOrganisation {
  models: StoredModel[] | null;
  aliases: StoredAlias[] | null;
  experiments: StoredExperiment[] | null;
  mcp_servers: StoredMcpServer[] | null;
  /** In the wire's form. */
  screening: ScreeningEntry[] | null;
  /** In the wire's form. */
  passthrough: PassthroughProvider[] | null;
  limits: StoredLimit[] | null;
}

interface KeyRow extends AttributionRow, KeptBodiesRow, RegionColumns, ResponseCacheRow {
  outbox_seq: bigint;
  id: string | null;
  name: string;
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
  tell_upstream_model: boolean;
  send_output_bound: boolean;
  trace_content: boolean;
  keep_decisions: string;
  routing_enabled: boolean;
  user_status: string | null;
  team_status: string | null;
  /** A `StoredOrganisation` as JSON text. */
  organisation: string | null;
  limits: StoredLimit[] | null;
  value_limits: StoredValueLimit[] | null;
  granted: string[];
  passthrough_provider_ids: string[];
  /** In the wire's form. */
  model_grants: { kind: string; providerId: string; pattern: string }[] | null;
  mcp_grants: StoredMcpGrant[] | null;
  routing_policy: StoredRoutingPolicy | null;
}

const KEYS_MAX = 64;
const DIGESTS_MAX = 64;
const DIGEST_BYTES = 16;
/**
 * Ends a reply, in characters of what was read. Keeps replies well below the 16 MB that a caller
 * accepts. The first key is always included.
 */
const REPLY_MAX = 4_000_000;

export type KeysReply = ResolveKeysReply & {
  keys: ResolvedKey[];
  organisations: OrganisationContext[];
  outboxSeq: number;
};

export interface ResolveOptions {
  readonly knownDigests?: readonly Buffer[];
  /** Whether the caller applies allowed regions. */
  readonly knowsRegions?: boolean;
  readonly replyMax?: number;
  /** Whether the installation keeps bodies of requests. */
  readonly bodiesAllowed?: boolean;
}

/**
 * Everything that decisions about keys need, by SHA-256. An unknown key is a result with `found`
 * false. The part of an organisation is left out when its digest is among `knownDigests`. Keys at
 * the end are left out when the reply would be too large. Throws a RangeError for an invalid
 * request.
 */
export async function resolveKeys(
  pool: Pool,
  keySha256: readonly Buffer[],
  {
    knownDigests = [],
    knowsRegions = true,
    replyMax = REPLY_MAX,
    bodiesAllowed = true,
  }: ResolveOptions = {},
): Promise<KeysReply> {
  check(keySha256, knownDigests);
  const { rows } = await pool.query<KeyRow>({
    name: 'directory-resolve-keys',
    text: RESOLVE_KEYS,
    values: [keySha256],
  });
  const known = new Set(knownDigests.map((digest) => digest.toString('hex')));
  const reply: KeysReply = {
    keys: [],
    organisations: [],
    outboxSeq: Number(rows[0]?.outbox_seq ?? 0),
  };
  const places = new Map<string, number>();
  let size = 0;
  for (const row of rows) {
    const { id: apiKeyId, organisation } = row;
    if (apiKeyId === null) {
      reply.keys.push({ found: false, context: null });
      continue;
    }
    const digest = organisation === null ? undefined : digestOf(organisation);
    const told = digest === undefined || known.has(digest.toString('hex'));
    size += sizeOf(row) + (told ? 0 : (organisation?.length ?? 0));
    if (size > replyMax && reply.keys.length > 0) break;
    if (organisation !== null && digest !== undefined) {
      places.set(row.organisation_id, reply.organisations.length);
      reply.organisations.push(
        told ? { digest, known: true } : { digest, ...organisationOf(organisation) },
      );
    }
    reply.keys.push({
      found: true,
      context: contextOf(row, apiKeyId, bodiesAllowed),
      organisation: places.get(row.organisation_id) ?? 0,
      grantedModelIds: row.granted,
      modelGrants: row.model_grants ?? [],
    });
  }
  return knowsRegions ? reply : withoutRegions(reply);
}

function check(keySha256: readonly Buffer[], knownDigests: readonly Buffer[]): void {
  if (keySha256.length < 1 || keySha256.length > KEYS_MAX) {
    throw new RangeError(`key_sha256: 1 to ${String(KEYS_MAX)} keys`);
  }
  if (keySha256.some((sha256) => sha256.length !== 32)) {
    throw new RangeError('key_sha256 has 32 bytes');
  }
  if (knownDigests.length > DIGESTS_MAX) {
    throw new RangeError(`known_digests: at most ${String(DIGESTS_MAX)}`);
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES);
}

/** Estimated size of a key's variable parts, in characters. */
function sizeOf(row: KeyRow): number {
  const {
    granted,
    model_grants: standing,
    limits,
    mcp_grants: servers,
    value_limits: values,
  } = row;
  const lists =
    (granted.length + row.passthrough_provider_ids.length) * 38 +
    (standing?.length ?? 0) * 240 +
    ((limits?.length ?? 0) + (values?.length ?? 0)) * 200;
  return 1_000 + lists + (servers === null ? 0 : JSON.stringify(servers).length);
}

function organisationOf(text: string): OrganisationContext {
  const stored = JSON.parse(text) as StoredOrganisation;
  return {
    models: (stored.models ?? []).map(modelOf),
    aliases: (stored.aliases ?? []).map(aliasOf),
    experiments: (stored.experiments ?? []).map(experimentOf),
    mcpServers: (stored.mcp_servers ?? []).map(mcpServerOf),
    limits: (stored.limits ?? []).map(limitOf),
    screening: stored.screening ?? [],
    passthrough: stored.passthrough ?? [],
  };
}

function contextOf(row: KeyRow, apiKeyId: string, bodiesAllowed: boolean): KeyContext {
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
    tellUpstreamModel: row.tell_upstream_model,
    outputBoundUnsent: !row.send_output_bound,
    traceContent: row.trace_content,
    keepDecisions: row.keep_decisions === 'OFF' ? '' : row.keep_decisions,
    allowedRegions: allowedRegionsOf(row),
    ...attributionOf(row),
    ...responseCacheOf(row),
    ...keptBodiesOf(row, bodiesAllowed),
    routingEnabled: row.routing_enabled,
    limits: (row.limits ?? []).map(limitOf),
    valueLimits: (row.value_limits ?? []).map(valueLimitOf),
    mcpServerIds: (row.mcp_grants ?? []).map(({ id }) => id),
    mcpGrants: (row.mcp_grants ?? []).map(mcpGrantOf),
    passthroughProviderIds: row.passthrough_provider_ids,
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
    nativeResponses: model.native_responses,
    region: model.region ?? '',
    regionFromVersion: model.region_from_version,
    allowedRegions: model.allowed_regions,
    retirement: retirementOf(model.retirement),
    providerActive: model.provider_active,
    connectionVersion: model.connection_version,
    contextTokens: model.context_tokens,
    defaultMaxOutputTokens: model.default_max_output_tokens ?? 0,
    displayName: model.display_name ?? '',
    maxOutputTokens: model.max_output_tokens ?? 0,
    maxToolCalls: model.max_tool_calls,
    capabilities: model.capabilities === null ? '' : model.capabilities.join(',') || 'none',
    prices: (model.prices ?? []).map(priceOf),
    createdAtMs: model.created_at_ms,
  };
}
