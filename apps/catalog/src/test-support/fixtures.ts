import { randomBytes } from 'node:crypto';
import { hashApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { DataSource } from 'typeorm';

import { publishConnection } from '../directory';
import { ApiKey } from '../entities/api-key.entity';
import { Budget } from '../entities/budget.entity';
import { McpServer } from '../entities/mcp-server.entity';
import { Model } from '../entities/model.entity';
import { Organisation } from '../entities/organisation.entity';
import { Price } from '../entities/price.entity';
import { ProviderApiKey } from '../entities/provider-api-key.entity';
import { Provider } from '../entities/provider.entity';
import { Quota } from '../entities/quota.entity';
import { RateLimit } from '../entities/rate-limit.entity';
import { TeamMember } from '../entities/team-member.entity';
import { Team } from '../entities/team.entity';
import { User } from '../entities/user.entity';
import { ApiKeyModelAccess } from '../resources/apikeys/api-key-model-access.entity';

export interface Tenant {
  organisationId: string;
  slug: string;
  teamId: string;
  userId: string;
  providerId: string;
  providerApiKeyId: string;
  modelId: string;
  otherModelId: string;
  apiKeyId: string;
  apiKey: string;
  keySha256: Buffer;
}

const NO_PRICE = {
  fromInputTokens: 0,
  input: '0',
  cacheRead: '0',
  cacheWrite5m: '0',
  cacheWrite1h: '0',
  audioInput: '0',
  imageInput: '0',
  output: '0',
  audioOutput: '0',
  imageOutput: '0',
};

/**
 * An organisation with a team, its user, a provider, two models and a USER key granted the first.
 */
export async function createTenant(orm: DataSource): Promise<Tenant> {
  const organisationId = uuidv7();
  const slug = `t-${organisationId}`;
  await orm.manager.insert(Organisation, { id: organisationId, slug, name: 'Test' });
  const userId = uuidv7();
  const user = { email: `${userId}@example.test`, name: 'Ada', role: 'USER' as const };
  await orm.manager.insert(User, { id: userId, organisationId, ...user });
  const teamId = uuidv7();
  await orm.manager.insert(Team, { id: teamId, organisationId, name: 'Research' });
  await orm.manager.insert(TeamMember, { teamId, userId, organisationId });
  const upstream = await createUpstream(orm, organisationId);
  const apiKey = `tg_${randomBytes(32).toString('base64url')}`;
  const keySha256 = hashApiKey(apiKey);
  const apiKeyId = uuidv7();
  await orm.manager.insert(ApiKey, {
    id: apiKeyId,
    organisationId,
    name: 'a key',
    type: 'USER',
    teamId,
    userId,
    keySha256,
    preview: 'tg_…',
  });
  await orm.manager.insert(ApiKeyModelAccess, {
    apiKeyId,
    modelId: upstream.modelId,
    organisationId,
  });
  return { organisationId, slug, teamId, userId, apiKeyId, apiKey, keySha256, ...upstream };
}

async function createUpstream(orm: DataSource, organisationId: string) {
  const providerId = uuidv7();
  await orm.manager.insert(Provider, {
    id: providerId,
    organisationId,
    name: 'Upstream',
    type: 'PROVIDER_A',
    upstreamFormat: 'openai',
    baseUrl: 'http://127.0.0.1:9090/v1',
    headers: { 'x-team': 'research' },
  });
  const providerApiKeyId = uuidv7();
  await orm.manager.insert(ProviderApiKey, {
    id: providerApiKeyId,
    organisationId,
    providerId,
    name: 'default',
    keyId: 'k1',
    nonce: Buffer.alloc(12, 1),
    ciphertext: Buffer.from('sealed'),
    tag: Buffer.alloc(16, 2),
    preview: 'sk-…1234',
    weight: 3,
  });
  await orm.transaction((tx) => publishConnection(tx, providerId));
  const [modelId, otherModelId] = [uuidv7(), uuidv7()];
  for (const [id, name] of [
    [modelId, 'model-one'],
    [otherModelId, 'model-two'],
  ] as const) {
    await orm.manager.insert(Model, {
      id,
      organisationId,
      name,
      providerId,
      upstreamModel: `upstream-${name}`,
      type: 'chat',
      contextTokens: 128_000,
      defaultMaxOutputTokens: 1_024,
    });
    await orm.manager.insert(Price, {
      id: uuidv7(),
      organisationId,
      modelId: id,
      effectiveFrom: new Date('2020-01-01T00:00:00Z'),
      steps: [{ ...NO_PRICE, input: '1000000000', output: '2000000000' }],
    });
  }
  return { providerId, providerApiKeyId, modelId, otherModelId };
}

type Scope = Pick<Budget, 'scopeType' | 'scopeId'>;

/** A budget, of the tenant's organisation by default; returns its id. */
export async function createBudget(
  orm: DataSource,
  tenant: Tenant,
  values: Partial<Budget> = {},
): Promise<string> {
  const id = uuidv7();
  await orm.manager.insert(Budget, {
    id,
    organisationId: tenant.organisationId,
    ...organisationScope(tenant),
    period: 'DAILY',
    limitNanoUsd: 1_000_000_000n,
    ...values,
  });
  return id;
}

export async function createQuota(
  orm: DataSource,
  tenant: Tenant,
  values: Partial<Quota> = {},
): Promise<string> {
  const id = uuidv7();
  await orm.manager.insert(Quota, {
    id,
    organisationId: tenant.organisationId,
    ...organisationScope(tenant),
    metric: 'REQUESTS',
    windowSeconds: 3_600,
    limitAmount: 1_000n,
    ...values,
  });
  return id;
}

export async function createRateLimit(
  orm: DataSource,
  tenant: Tenant,
  values: Partial<RateLimit> = {},
): Promise<string> {
  const id = uuidv7();
  await orm.manager.insert(RateLimit, {
    id,
    organisationId: tenant.organisationId,
    ...organisationScope(tenant),
    requestsPerMinute: 60,
    ...values,
  });
  return id;
}

/** An MCP server of the tenant's organisation; returns its id. */
export async function createMcpServer(
  orm: DataSource,
  tenant: Pick<Tenant, 'organisationId'>,
  identifier = 'tools',
): Promise<string> {
  const id = uuidv7();
  await orm.manager.insert(McpServer, {
    id,
    organisationId: tenant.organisationId,
    identifier,
    name: `Server ${identifier}`,
    transport: 'STREAMABLE_HTTP',
    url: 'http://127.0.0.1:9/mcp',
  });
  return id;
}

/** The scopes of a request with the tenant's key to its first model. */
export function scopesOf(tenant: Tenant): Scope[] {
  return [
    organisationScope(tenant),
    { scopeType: 'TEAM', scopeId: tenant.teamId },
    { scopeType: 'USER', scopeId: tenant.userId },
    { scopeType: 'API_KEY', scopeId: tenant.apiKeyId },
    { scopeType: 'MODEL', scopeId: tenant.modelId },
  ];
}

function organisationScope(tenant: Tenant): Scope {
  return { scopeType: 'ORGANISATION', scopeId: tenant.organisationId };
}
