import { rest, ROLES, type Role } from '@tollgate/contracts';
import type { Database } from '../db';
import { startTestDatabases, type TestDatabases } from '../test-support';
import {
  bookRecord,
  createQuarantined,
  createInvoice,
  createRerate,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from './test-support';

/** Every endpoint × every role × own and other organisation, generated from the role table. */

let databases: TestDatabases;
let server: RestServer;
let own: Params;
let other: Params;
let callers: Record<Role, Who>;

type Params = Record<string, string>;

beforeAll(async () => {
  databases = await startTestDatabases();
  const database = await databases.fresh();
  server = await startRest(database);
  const acme = await createTenant(server, 'acme');
  own = await paramsOf(database, acme);
  other = await paramsOf(database, await createTenant(server, 'rival'));
  callers = { SUPER_ADMIN: server.root, ...acme.callers };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

/** A value for every path parameter, within reach of every role that may read it. */
async function paramsOf(database: Database, tenant: Tenant): Promise<Params> {
  return {
    organisationId: tenant.organisationId,
    teamId: tenant.teamId,
    userId: tenant.userIds.USER,
    providerId: tenant.providerId,
    keyId: tenant.providerKeyId,
    modelId: tenant.modelId,
    priceId: tenant.priceId,
    mcpServerId: tenant.mcpServerId,
    apiKeyId: tenant.userKeyId,
    budgetId: tenant.budgetId,
    quotaId: tenant.quotaId,
    rateLimitId: tenant.rateLimitId,
    routingPolicyId: tenant.routingPolicyId,
    requestId: await bookRecord(database.orm, tenant, Date.now()),
    quarantineId: await createQuarantined(database.orm),
    rerateId: await createRerate(database.orm, tenant.organisationId),
    invoiceId: await createInvoice(database.orm, tenant.organisationId),
    invitationId: await invite(tenant),
    sessionId: '019aa000-0000-7000-8000-000000000000',
  };
}

async function invite(tenant: Tenant): Promise<string> {
  const body = { email: 'guest@example.com' };
  const made = await server.ok(tenant.callers.ORG_ADMIN, rest.createInvitation, { body });
  return made.id;
}

/** Well-formed bodies of the endpoints that change one object. */
const BODIES: Readonly<Record<string, unknown>> = {
  updateOrganisation: { name: 'x' },
  updateOwnOrganisation: { name: 'x' },
  updateTeam: { name: 'x' },
  addTeamMember: { userId: '019aa000-0000-7000-8000-000000000000' },
  updateTeamMember: { role: 'MEMBER' },
  updateUser: { name: 'x' },
  setUserPassword: { password: 'a long enough password' },
  updatePlatformUser: { name: 'x' },
  setPlatformUserPassword: { password: 'a long enough password' },
  updateProvider: { name: 'x' },
  addProviderKey: { apiKey: 'sk-another-secret' },
  updateProviderKey: { name: 'x' },
  rotateProviderKey: { apiKey: 'sk-another-secret' },
  testProvider: {},
  discoverModels: {},
  importModels: { models: [{ upstreamModel: 'x' }] },
  updateModel: { upstreamModel: 'x' },
  addPrice: { steps: [{ input: '1', output: '1' }] },
  offerCorrection: {
    from: '2026-01-01T00:00:00Z',
    price: { steps: [{ input: '1', output: '1' }] },
  },
  updateMcpServer: { name: 'x' },
  addMcpGrants: { apiKeyIds: ['019aa000-0000-7000-8000-000000000000'] },
  setApiKeyMcpServers: { mcpServerIds: [] },
  updateApiKey: { name: 'x' },
  setApiKeyModels: { modelIds: [] },
  updateBudget: { limitUsd: '1' },
  updateQuota: { limit: 1 },
  updateRateLimit: { requestsPerMinute: 1 },
  updateSettings: { routingEnabled: true },
  voidInvoice: { reason: 'x' },
  updateRoutingPolicy: { retries: 1 },
};

const guarded = rest.ENDPOINTS.filter(({ access }) => access !== 'public');
const scoped = guarded.filter(({ path }) => path.startsWith('/api/organisations/'));
const ofOneObject = scoped.filter(({ path }) => /:organisationId\/.*:/.test(path));

async function send(
  endpoint: rest.Endpoint,
  role: Role | undefined,
  params: Params,
  body?: unknown,
): Promise<number> {
  const who = role === undefined ? undefined : callers[role];
  const { status } = await server.call(who, endpoint, { params, body });
  return status;
}

/** A body that no endpoint takes: the answer tells whether the call got past the role table. */
const probe = (endpoint: rest.Endpoint): unknown =>
  endpoint.method === 'GET' ? undefined : { noSuchField: true };
const passed = (endpoint: rest.Endpoint): number => (endpoint.method === 'GET' ? 200 : 422);

describe.each(guarded.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s',
  (_id, endpoint) => {
    it('refuses a caller who is not signed in', async () => {
      expect(await send(endpoint, undefined, own, probe(endpoint))).toBe(401);
    });

    it.each(ROLES)('lets %s through exactly if the table says so', async (role) => {
      const allowed =
        endpoint.access === 'signed-in' ||
        endpoint.access === 'public' ||
        rest.can(role, endpoint.access);
      const expected = allowed ? passed(endpoint) : 403;
      expect(await send(endpoint, role, own, probe(endpoint))).toBe(expected);
    });
  },
);

describe.each(scoped.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s in another organisation',
  (_id, endpoint) => {
    it.each(['ORG_ADMIN', 'MANAGER', 'USER'] as const)('is not there for %s', async (role) => {
      expect(await send(endpoint, role, other, probe(endpoint))).toBe(404);
    });

    it('is there for SUPER_ADMIN', async () => {
      expect(await send(endpoint, 'SUPER_ADMIN', other, probe(endpoint))).toBe(passed(endpoint));
    });
  },
);

describe.each(ofOneObject.map((endpoint) => [endpoint.id, endpoint] as const))(
  "%s with another organisation's object under the own path",
  (_id, endpoint) => {
    it.each(ROLES)('does not find it as %s', async (role) => {
      const mixed = { ...other, organisationId: own['organisationId'] ?? '' };
      const needsBody = !endpoint.body.safeParse(undefined).success;
      const body = BODIES[endpoint.id];
      if (needsBody && body === undefined) throw new Error(`no body for ${endpoint.id}`);
      const allowed =
        endpoint.access !== 'signed-in' &&
        endpoint.access !== 'public' &&
        rest.can(role, endpoint.access);
      expect(await send(endpoint, role, mixed, body)).toBe(allowed ? 404 : 403);
    });
  },
);

/** Their path names no organisation: whose they are is looked up. */
const ofInvitation = guarded.filter(({ path }) => path.includes(':invitationId'));

describe.each(ofInvitation.map((endpoint) => [endpoint.id, endpoint] as const))(
  "%s of another organisation's invitation",
  (_id, endpoint) => {
    it.each(ROLES)('does not find it as %s, unless of the platform', async (role) => {
      if (role === 'SUPER_ADMIN') {
        expect(await send(endpoint, role, other)).toBe(endpoint.status);
      } else {
        expect(await send(endpoint, role, other)).toBe(role === 'ORG_ADMIN' ? 404 : 403);
      }
    });
  },
);

const ofPart = ofOneObject.filter(
  ({ path }) => /:(userId|keyId)$/.test(path) && /:(teamId|providerId)/.test(path),
);

it.each(ofPart.map((endpoint) => [endpoint.id, endpoint] as const))(
  "%s does not reach another organisation's part through an own object",
  async (_id, endpoint) => {
    const { userId = '', keyId = '' } = other;
    const status = await send(
      endpoint,
      'ORG_ADMIN',
      { ...own, userId, keyId },
      BODIES[endpoint.id],
    );
    expect(status).toBe(404);
  },
);
