import { rest, type Role } from '@tollgate/contracts';

import type { RestServer, Who } from './rest-server';

/** One organisation with a caller of every role, and one object of every resource. */
export interface Tenant {
  readonly organisationId: string;
  readonly callers: Readonly<Record<Exclude<Role, 'SUPER_ADMIN'>, Who>>;
  readonly userIds: Readonly<Record<Exclude<Role, 'SUPER_ADMIN'>, string>>;
  /** The manager manages this team, and the user is a member. */
  readonly teamId: string;
  /** A team without members. */
  readonly otherTeamId: string;
  readonly providerId: string;
  readonly providerKeyId: string;
  readonly modelId: string;
  readonly priceId: string;
  /** Granted to the user's key. */
  readonly mcpServerId: string;
  readonly organisationKeyId: string;
  readonly teamKeyId: string;
  /** The user's key, which charges the team: within reach of every role. */
  readonly userKeyId: string;
  readonly budgetId: string;
  readonly quotaId: string;
  readonly rateLimitId: string;
  /** Not used by any key. */
  readonly routingPolicyId: string;
}

/** The dimensions of a request with the tenant's user key. */
export function chargedOf(tenant: Tenant) {
  const { organisationId, teamId, userIds, userKeyId, modelId, providerId } = tenant;
  return {
    organisationId,
    slug: 'acme',
    teamId,
    userId: userIds.USER,
    apiKeyId: userKeyId,
    modelId,
    providerId,
  };
}

export const TENANT_PASSWORD = 'a long enough password';

export async function createTenant(
  server: RestServer,
  slug: string,
  root: Who = server.root,
): Promise<Tenant> {
  const organisation = await server.ok(root, rest.createOrganisation, {
    body: { name: slug, slug },
  });
  const organisationId = organisation.id;
  const params = { organisationId };

  const addUser = async (role: Exclude<Role, 'SUPER_ADMIN'>): Promise<[string, Who]> => {
    const email = `${role.toLowerCase()}@${slug}.example.com`;
    const body = { email, name: role, password: TENANT_PASSWORD, role };
    const user = await server.ok(root, rest.createUser, { params, body });
    return [user.id, await server.signIn(email, TENANT_PASSWORD)];
  };
  const [adminId, admin] = await addUser('ORG_ADMIN');
  const [managerId, manager] = await addUser('MANAGER');
  const [userId, user] = await addUser('USER');

  const team = await server.ok(admin, rest.createTeam, { params, body: { name: 'Research' } });
  const otherTeam = await server.ok(admin, rest.createTeam, { params, body: { name: 'Sales' } });
  const teamParams = { organisationId, teamId: team.id };
  for (const body of [{ userId: managerId, role: 'MANAGER' as const }, { userId }]) {
    await server.ok(admin, rest.addTeamMember, { params: teamParams, body });
  }
  const provider = await server.ok(admin, rest.createProvider, {
    params,
    body: {
      name: 'upstream',
      type: 'PROVIDER_A',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-secret-of-the-upstream-0001',
    },
  });
  const model = await server.ok(admin, rest.createModel, {
    params,
    body: {
      name: 'gpt-test',
      providerId: provider.id,
      prices: [{ steps: [{ input: '2.50', output: '10' }] }],
    },
  });
  const modelIds = [model.id];
  const key = (body: Parameters<typeof server.ok<typeof rest.createApiKey>>[2]) =>
    server.ok(admin, rest.createApiKey, body);
  const organisationKey = await key({
    params,
    body: { name: 'org', type: 'ORGANISATION', modelIds },
  });
  const teamKey = await key({
    params,
    body: { name: 'team', type: 'TEAM', teamId: team.id, modelIds },
  });
  const userKey = await key({
    params,
    body: { name: 'user', type: 'USER', userId, teamId: team.id, modelIds },
  });
  const mcpServer = await server.ok(admin, rest.createMcpServer, {
    params,
    body: { identifier: 'tools', name: 'Tools', url: 'http://127.0.0.1:9/mcp' },
  });
  await server.ok(admin, rest.addMcpGrants, {
    params: { organisationId, mcpServerId: mcpServer.id },
    body: { apiKeyIds: [userKey.id] },
  });
  const scope = { type: 'API_KEY' as const, id: userKey.id };
  const budget = await server.ok(admin, rest.createBudget, {
    params,
    body: { scope, period: 'MONTHLY', limitUsd: '12.50' },
  });
  const quota = await server.ok(admin, rest.createQuota, {
    params,
    body: { scope, metric: 'TOKENS', windowSeconds: 3600, limit: 1000 },
  });
  const rateLimit = await server.ok(admin, rest.createRateLimit, {
    params,
    body: { scope, requestsPerMinute: 60 },
  });
  const routingPolicy = await server.ok(admin, rest.createRoutingPolicy, {
    params,
    body: { name: 'chat', candidates: [{ modelId: model.id }] },
  });
  return {
    organisationId,
    callers: { ORG_ADMIN: admin, MANAGER: manager, USER: user },
    userIds: { ORG_ADMIN: adminId, MANAGER: managerId, USER: userId },
    teamId: team.id,
    otherTeamId: otherTeam.id,
    providerId: provider.id,
    providerKeyId: provider.apiKeys[0]?.id ?? '',
    modelId: model.id,
    priceId: model.currentPrice?.id ?? '',
    mcpServerId: mcpServer.id,
    organisationKeyId: organisationKey.id,
    teamKeyId: teamKey.id,
    userKeyId: userKey.id,
    budgetId: budget.id,
    quotaId: quota.id,
    rateLimitId: rateLimit.id,
    routingPolicyId: routingPolicy.id,
  };
}
