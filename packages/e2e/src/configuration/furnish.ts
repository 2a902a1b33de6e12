import { expectStatus, newTenant, type Gateway, type Tenant } from '..';
import { furnishAlerts } from './furnish-alerts';

// Objects of every kind that documents describe, made through the management API.

const PASSWORD = 'correct horse battery staple';
export const MCP_SECRET = 'mcp-secret-0123456789abcdef';
export const SERVICE_SECRET = 'service-secret-0123456789abcdef';
export const EXPORT_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const SECOND_KEY = 'sk-second-0123456789abcdefghij';
const JAVASCRIPT = 'function check() { return { verdict: "PASS" }; }';

/** Fills a new organisation and suspends another one; returns the first. */
export async function furnish(gateway: Gateway): Promise<Tenant> {
  const tenant = await newTenant(gateway, {
    organisation: {
      name: 'Furnished',
      routingEnabled: true,
      retentionDays: 400,
      allowedRegions: ['us', 'eu'],
    },
    provider: { headers: { 'x-team': 'blue' }, timeoutMs: 90_000, region: 'eu' },
  });
  const { create } = tenant;
  const lead = await person(tenant, 'lead', 'MANAGER');
  const member = await person(tenant, 'member', 'USER');
  const left = await person(tenant, 'left', 'USER');
  await post(gateway, `${tenant.base}/users/${left}/disable`);
  const team = (await create('teams', { name: 'Search', allowedRegions: ['eu'] })).id;
  await create(`teams/${team}/members`, { userId: lead, role: 'MANAGER' });
  await create(`teams/${team}/members`, { userId: member, role: 'MEMBER' });
  await furnishProvider(gateway, tenant);
  const mini = await tenant.model('mini', 'sim-mini', {
    capabilities: ['vision', 'tools'],
    allowedRegions: ['eu', 'us'],
  });
  await create(`models/${mini}/prices`, {
    effectiveFrom: '2027-06-01T00:00:00Z',
    steps: [{ input: '3', output: '11.5' }],
    perUnitUsd: {},
    tierPercent: { priority: 200, flex: 62.5 },
  });
  await furnishAliases(tenant, mini);
  const server = (await create('mcp-servers', mcpServer)).id;
  const policy = await create('routing-policies', {
    name: 'cheap-first',
    strategy: 'weighted',
    candidates: [{ modelId: mini, weight: 3 }, { modelId: tenant.modelId }],
    retries: 1,
  });
  const keys = await furnishKeys(tenant, { team, member, server, policy: policy.id });
  await furnishLimits(tenant, { team, member, server, key: keys.first, model: mini });
  await furnishScreening(tenant, { team, server, key: keys.first, model: mini });
  await furnishExport(gateway, tenant);
  await furnishAlerts(gateway, tenant);
  expectStatus(
    await gateway.rest.put(`${tenant.base}/mcp-sign-in`, {
      issuer: 'https://id.example.com',
      audiences: ['tollgate'],
      scopes: ['mcp'],
      rules: [{ claim: 'groups', value: 'search', apiKeyId: keys.second }],
    }),
    200,
  );
  expectStatus(
    await gateway.rest.post('/api/admin/users', {
      email: `second-admin@${tenant.slug}.example`,
      name: 'Second administrator',
      password: PASSWORD,
      role: 'SUPER_ADMIN',
    }),
    201,
  );
  const closed = await newTenant(gateway, { organisation: { name: 'Closed' } });
  await post(gateway, `/api/admin/organisations/${closed.id}/suspend`);
  return tenant;
}

async function furnishAliases(tenant: Tenant, mini: string): Promise<void> {
  const last = await tenant.model('last', 'sim-last', {
    retirement: {
      deprecatedAt: '2026-10-01T00:00:00Z',
      sunsetAt: '2031-01-01T00:00:00Z',
      replacementModelId: mini,
      onSunset: 'REPLACE',
      url: 'https://example.com/last',
    },
  });
  await tenant.create('experiments', {
    name: 'mini-or-last',
    model: 'last',
    status: 'PAUSED',
    arms: [
      { name: 'last', modelId: last, share: 90 },
      { name: 'mini', modelId: mini, share: 10 },
    ],
    shadow: { modelId: mini, samplePercent: 5, dailyUsd: '12.50' },
    endsAt: '2030-12-31T00:00:00Z',
  });
  await tenant.create('model-aliases', {
    name: 'claude-mini',
    displayName: 'Mini',
    targets: [{ modelId: last }, { modelId: mini, effectiveFrom: '2030-06-01T00:00:00Z' }],
    retirement: { sunsetAt: '2032-01-01T00:00:00Z' },
  });
}

const mcpServer = {
  identifier: 'tickets',
  name: 'Tickets',
  url: 'https://mcp.example.com/mcp',
  auth: { type: 'HEADER', header: 'x-ticket-key', template: 'Key {{secret}}' },
  secret: MCP_SECRET,
  region: 'eu',
  callPriceUsd: '0.001',
  toolPricesUsd: { search: '0.01' },
  tools: { allowed: ['search', 'read_*'], denied: ['read_all'] },
};

async function post(gateway: Gateway, path: string): Promise<void> {
  expectStatus(await gateway.rest.post(path), 200);
}

async function person({ create, slug }: Tenant, name: string, role: string): Promise<string> {
  const email = `${name}@${slug}.example`;
  return (await create('users', { email, name, role, password: PASSWORD })).id;
}

async function furnishProvider(gateway: Gateway, tenant: Tenant): Promise<void> {
  const rule = {
    method: 'POST',
    path: '/voices/*',
    callPriceUsd: '0.5',
    requestMegabytePriceUsd: '0',
    responseMegabytePriceUsd: '1',
  };
  const body = { passthroughRules: [rule, { ...rule, method: 'GET', path: '/voices/**' }] };
  expectStatus(
    await gateway.rest.patch(`${tenant.base}/providers/${tenant.providerId}`, body),
    200,
  );
  const keys = `providers/${tenant.providerId}/keys`;
  const added = await tenant.create(keys, { name: 'second', apiKey: SECOND_KEY, weight: 4 });
  expectStatus(
    await gateway.rest.patch(`${tenant.base}/${keys}/${added.id}`, { status: 'DISABLED' }),
    200,
  );
}

interface Owners {
  readonly team: string;
  readonly member: string;
  readonly server: string;
  readonly policy: string;
}

async function furnishKeys(
  { create, modelId, providerId }: Tenant,
  { team, member, server, policy }: Owners,
): Promise<{ first: string; second: string }> {
  const first = await create('apikeys', {
    name: 'service',
    type: 'TEAM',
    teamId: team,
    modelIds: [modelId],
    mcpGrants: [{ mcpServerId: server, tools: { allowed: ['search'] } }],
    routingPolicyId: policy,
    allowedRegions: ['us', 'eu'],
    expiresAt: '2030-01-01T00:00:00Z',
  });
  const second = await create('apikeys', {
    name: 'service',
    type: 'ORGANISATION',
    passthroughProviderIds: [providerId],
    modelGrants: [
      { kind: 'PROVIDER', providerId },
      { kind: 'PATTERN', pattern: 'mini*' },
    ],
  });
  await create('apikeys', {
    name: 'personal',
    type: 'USER',
    userId: member,
    teamId: team,
    modelGrants: [{ kind: 'ALL' }],
  });
  return { first: first.id, second: second.id };
}

interface Scopes {
  readonly team: string;
  readonly member?: string;
  readonly server: string;
  readonly key: string;
  readonly model: string;
}

async function furnishLimits({ create, id }: Tenant, ids: Scopes): Promise<void> {
  const organisation = { type: 'ORGANISATION', id };
  const team = { type: 'TEAM', id: ids.team };
  await create('budgets', { scope: organisation, period: 'MONTHLY', limitUsd: '250' });
  // Two of the same scope and period.
  await create('budgets', { scope: team, period: 'DAILY', limitUsd: '10.50', clampToBudget: true });
  await create('budgets', { scope: team, period: 'DAILY', limitUsd: '5', mode: 'SOFT' });
  await create('quotas', {
    scope: { type: 'USER', id: ids.member },
    metric: 'REQUESTS',
    windowSeconds: 3_600,
    limit: 500,
  });
  await create('quotas', {
    scope: { type: 'MCP_SERVER', id: ids.server },
    metric: 'COST',
    period: 'WEEKLY',
    limit: '7.25',
  });
  await create('rate-limits', {
    scope: { type: 'API_KEY', id: ids.key },
    requestsPerMinute: 60,
    concurrentRequests: 4,
  });
  await create('rate-limits', {
    scope: { type: 'MODEL', id: ids.model },
    tokensPerMinute: 100_000,
    status: 'DISABLED',
  });
}

async function furnishScreening({ create, id }: Tenant, ids: Scopes): Promise<void> {
  await create('screening-services', {
    identifier: 'judge',
    name: 'Judge',
    url: 'https://judge.example.com/check',
    region: 'eu',
    protocol: { type: 'TOLLGATE_HTTP' },
    secret: SERVICE_SECRET,
  });
  await create('screening-services', {
    identifier: 'house-rules',
    name: 'House rules',
    protocol: { type: 'JAVASCRIPT', code: JAVASCRIPT },
  });
  await create('screening-policies', {
    identifier: 'basics',
    name: 'Basics',
    attachedTo: [
      { scopeType: 'ORGANISATION', scopeId: id },
      { scopeType: 'TEAM', scopeId: ids.team },
      { scopeType: 'API_KEY', scopeId: ids.key },
      { scopeType: 'MODEL', scopeId: ids.model },
      { scopeType: 'MCP_SERVER', scopeId: ids.server },
    ],
    rules: [
      {
        id: 'words',
        kind: 'KEYWORDS',
        where: ['INPUT'],
        action: 'BLOCK',
        onError: 'BLOCK',
        keywords: ['project x'],
      },
      {
        id: 'ask',
        kind: 'EXTERNAL',
        where: ['INPUT'],
        action: 'OBSERVE',
        onError: 'PASS',
        service: 'judge',
      },
    ],
  });
}

async function furnishExport(gateway: Gateway, { base, create }: Tenant): Promise<void> {
  const { id } = await create('export-destinations', {
    name: 'warehouse',
    target: { type: 'WEBHOOK', url: 'https://warehouse.example.com/hooks' },
    records: ['USAGE', 'AUDIT'],
    secret: EXPORT_SECRET,
  });
  const paused = { status: 'PAUSED' };
  expectStatus(await gateway.rest.patch(`${base}/export-destinations/${id}`, paused), 200);
}
