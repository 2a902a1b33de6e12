import { rest, type Role } from '@tollgate/contracts';
import type { z } from 'zod';

import type { RestServer, Who } from './rest-server';

type TenantRole = Exclude<Role, 'SUPER_ADMIN'>;

/** One organisation with a caller of every role, and one object of every resource. */
export interface Tenant {
  readonly organisationId: string;
  readonly callers: Readonly<Record<TenantRole, Who>>;
  readonly userIds: Readonly<Record<TenantRole, string>>;
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
  readonly modelAliasId: string;
  /** Paused, on the alias. */
  readonly experimentId: string;
  /** Shared with the administrators. */
  readonly usageViewId: string;
  readonly priceCorrectionId: string;
  readonly screeningPolicyId: string;
  readonly screeningServiceId: string;
  /** Paused, so that nothing is delivered. */
  readonly exportDestinationId: string;
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

/** Whoever creates objects, and where. */
interface Place {
  readonly server: RestServer;
  readonly admin: Who;
  readonly params: { readonly organisationId: string };
}

interface Members {
  readonly callers: Readonly<Record<TenantRole, Who>>;
  readonly userIds: Readonly<Record<TenantRole, string>>;
}

export async function createTenant(
  server: RestServer,
  slug: string,
  root: Who = server.root,
): Promise<Tenant> {
  const organisation = await server.ok(root, rest.createOrganisation, {
    body: { name: slug, slug },
  });
  const params = { organisationId: organisation.id };
  const members = await addUsers(server, root, params, slug);
  const place: Place = { server, admin: members.callers.ORG_ADMIN, params };
  const teams = await addTeams(place, members);
  const served = await addModel(place);
  const keys = await addKeys(place, members, teams.teamId, served.modelId);
  return {
    ...params,
    ...members,
    ...teams,
    ...served,
    ...keys,
    mcpServerId: await addMcpServer(place, keys.userKeyId),
    ...(await addLimits(place, keys.userKeyId)),
    routingPolicyId: await addRoutingPolicy(place, served.modelId),
    modelAliasId: await addModelAlias(place, served.modelId),
    experimentId: await addExperiment(place, served.modelId),
    usageViewId: await addUsageView(place),
    priceCorrectionId: await addPriceCorrection(place, served.modelId),
    screeningPolicyId: await addScreeningPolicy(place),
    screeningServiceId: await addScreeningService(place),
    exportDestinationId: await addExportDestination(place),
  };
}

async function addUsers(
  server: RestServer,
  root: Who,
  params: Place['params'],
  slug: string,
): Promise<Members> {
  const addUser = async (role: TenantRole): Promise<[string, Who]> => {
    const email = `${role.toLowerCase()}@${slug}.example.com`;
    const body = { email, name: role, password: TENANT_PASSWORD, role };
    const user = await server.ok(root, rest.createUser, { params, body });
    return [user.id, await server.signIn(email, TENANT_PASSWORD)];
  };
  const [adminId, admin] = await addUser('ORG_ADMIN');
  const [managerId, manager] = await addUser('MANAGER');
  const [userId, user] = await addUser('USER');
  return {
    callers: { ORG_ADMIN: admin, MANAGER: manager, USER: user },
    userIds: { ORG_ADMIN: adminId, MANAGER: managerId, USER: userId },
  };
}

async function addTeams(
  { server, admin, params }: Place,
  { userIds }: Members,
): Promise<Pick<Tenant, 'teamId' | 'otherTeamId'>> {
  const team = await server.ok(admin, rest.createTeam, { params, body: { name: 'Research' } });
  const otherTeam = await server.ok(admin, rest.createTeam, { params, body: { name: 'Sales' } });
  const teamParams = { ...params, teamId: team.id };
  const manager = { userId: userIds.MANAGER, role: 'MANAGER' as const };
  for (const body of [manager, { userId: userIds.USER }]) {
    await server.ok(admin, rest.addTeamMember, { params: teamParams, body });
  }
  return { teamId: team.id, otherTeamId: otherTeam.id };
}

async function addModel({
  server,
  admin,
  params,
}: Place): Promise<Pick<Tenant, 'providerId' | 'providerKeyId' | 'modelId' | 'priceId'>> {
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
  return {
    providerId: provider.id,
    providerKeyId: provider.apiKeys[0]?.id ?? '',
    modelId: model.id,
    priceId: model.currentPrice?.id ?? '',
  };
}

async function addKeys(
  { server, admin, params }: Place,
  { userIds }: Members,
  teamId: string,
  modelId: string,
): Promise<Pick<Tenant, 'organisationKeyId' | 'teamKeyId' | 'userKeyId'>> {
  const userId = userIds.USER;
  const add = async (body: z.input<typeof rest.createApiKey.body>): Promise<string> =>
    (await server.ok(admin, rest.createApiKey, { params, body })).id;
  const modelIds = [modelId];
  return {
    organisationKeyId: await add({ name: 'org', type: 'ORGANISATION', modelIds }),
    teamKeyId: await add({ name: 'team', type: 'TEAM', teamId, modelIds }),
    userKeyId: await add({ name: 'user', type: 'USER', userId, teamId, modelIds }),
  };
}

async function addMcpServer({ server, admin, params }: Place, apiKeyId: string): Promise<string> {
  const mcpServer = await server.ok(admin, rest.createMcpServer, {
    params,
    body: { identifier: 'tools', name: 'Tools', url: 'http://127.0.0.1:9/mcp' },
  });
  await server.ok(admin, rest.addMcpGrants, {
    params: { ...params, mcpServerId: mcpServer.id },
    body: { apiKeyIds: [apiKeyId] },
  });
  return mcpServer.id;
}

async function addLimits(
  { server, admin, params }: Place,
  apiKeyId: string,
): Promise<Pick<Tenant, 'budgetId' | 'quotaId' | 'rateLimitId'>> {
  const scope = { type: 'API_KEY' as const, id: apiKeyId };
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
  return { budgetId: budget.id, quotaId: quota.id, rateLimitId: rateLimit.id };
}

async function addRoutingPolicy(
  { server, admin, params }: Place,
  modelId: string,
): Promise<string> {
  const policy = await server.ok(admin, rest.createRoutingPolicy, {
    params,
    body: { name: 'chat', candidates: [{ modelId }] },
  });
  return policy.id;
}

async function addModelAlias({ server, admin, params }: Place, modelId: string): Promise<string> {
  const alias = await server.ok(admin, rest.createModelAlias, {
    params,
    body: { name: 'assistant', targets: [{ modelId }] },
  });
  return alias.id;
}

async function addExperiment({ server, admin, params }: Place, modelId: string): Promise<string> {
  const experiment = await server.ok(admin, rest.createExperiment, {
    params,
    body: {
      name: 'standing',
      model: 'assistant',
      status: 'PAUSED',
      arms: [{ name: 'control', modelId, share: 100 }],
      // Ended, so that the model can be deleted.
      endsAt: '2026-01-01T00:00:00Z',
    },
  });
  return experiment.id;
}

async function addUsageView({ server, admin, params }: Place): Promise<string> {
  const view = await server.ok(admin, rest.createUsageView, {
    params,
    body: { name: 'By model', parameters: { group: 'model' }, shared: true },
  });
  return view.id;
}

async function addPriceCorrection(
  { server, admin, params }: Place,
  modelId: string,
): Promise<string> {
  const correction = await server.ok(admin, rest.createPriceCorrection, {
    params,
    body: {
      modelId,
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      price: { steps: [{ input: '1', output: '1' }] },
      reason: 'the price list was that of last year',
    },
  });
  return correction.id;
}

async function addScreeningService({ admin, params, server }: Place): Promise<string> {
  const service = await server.ok(admin, rest.createScreeningService, {
    params,
    body: {
      identifier: 'unused',
      name: 'Unused',
      url: 'https://checker.example.com/check',
      protocol: { type: 'TOLLGATE_HTTP' },
    },
  });
  return service.id;
}

async function addScreeningPolicy({ admin, params, server }: Place): Promise<string> {
  const policy = await server.ok(admin, rest.createScreeningPolicy, {
    params,
    body: { identifier: 'house', name: 'House rules' },
  });
  return policy.id;
}

async function addExportDestination({ admin, params, server }: Place): Promise<string> {
  const { id } = await server.ok(admin, rest.createExportDestination, {
    params,
    body: {
      name: 'warehouse',
      target: { type: 'WEBHOOK', url: 'http://127.0.0.1:9/records' },
      records: ['USAGE'],
    },
  });
  const at = { ...params, exportDestinationId: id };
  await server.ok(admin, rest.updateExportDestination, { params: at, body: { status: 'PAUSED' } });
  return id;
}
