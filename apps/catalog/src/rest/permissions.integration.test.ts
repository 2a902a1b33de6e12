import { rest, ROLES, type Role } from '@tollgate/contracts';

import { startTestDatabases, type TestDatabases } from '../test-support';
import {
  BODIES,
  createTenant,
  objectIdsOf,
  startRest,
  TENANT_PASSWORD,
  type Params,
  type RestServer,
  type Tenant,
  type Who,
} from './test-support';

/** Every endpoint × every role × own and other organisation, generated from the role table. */

let databases: TestDatabases;
let server: RestServer;
let acme: Tenant;
let own: Params;
let other: Params;
let callers: Record<Role, Who>;

beforeAll(async () => {
  databases = await startTestDatabases();
  const database = await databases.fresh();
  server = await startRest(database);
  acme = await createTenant(server, 'acme');
  own = await objectIdsOf(server, database, acme);
  other = await objectIdsOf(server, database, await createTenant(server, 'rival'));
  callers = { SUPER_ADMIN: server.root, ...acme.callers };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

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
  // Without it a query that is required would be refused first.
  const query = endpoint.query.safeParse({}).success ? {} : { key: 'project' };
  const { status } = await server.call(who, endpoint, { params, query, body });
  return status;
}

/** A body that every endpoint refuses: the answer tells whether the call passed the role table. */
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

/** Their paths name no organisation: it is looked up. */
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

describe('a session', () => {
  /** The ids of the endpoints that admit the caller. */
  async function doors(who: Who): Promise<string[]> {
    const open: string[] = [];
    for (const endpoint of guarded) {
      const { status } = await server.call(who, endpoint, { params: own, body: probe(endpoint) });
      if (status !== 401) open.push(endpoint.id);
    }
    return open;
  }

  it.each(['ORG_ADMIN', 'MANAGER', 'USER'] as const)(
    'that %s has ended opens nothing any more, and the other one does',
    async (role) => {
      const email = `${role.toLowerCase()}@acme.example.com`;
      const ended = await server.signIn(email, TENANT_PASSWORD);
      const { data } = await server.ok(ended, rest.listOwnSessions);
      const sessionId = data.find(({ current }) => current)?.id ?? '';
      await server.ok(acme.callers[role], rest.endOwnSession, { params: { sessionId } });
      expect(await doors(ended)).toEqual([]);
      expect((await server.call(acme.callers[role], rest.getMe)).status).toBe(200);
    },
  );

  it('of a suspended or archived organisation opens nothing, whatever the role', async () => {
    const { root } = server;
    const tenant = await createTenant(server, 'suspended');
    const params = { organisationId: tenant.organisationId };
    await server.ok(root, rest.suspendOrganisation, { params });
    for (const who of Object.values(tenant.callers)) expect(await doors(who)).toEqual([]);
    await server.ok(root, rest.resumeOrganisation, { params });
    const { ORG_ADMIN: admin } = tenant.callers;
    expect((await server.call(admin, rest.getMe)).status).toBe(200);
    await server.ok(root, rest.archiveOrganisation, { params });
    expect(await doors(admin)).toEqual([]);
  });

  it('of a disabled user opens nothing', async () => {
    const tenant = await createTenant(server, 'leaving');
    const params = { organisationId: tenant.organisationId, userId: tenant.userIds.MANAGER };
    await server.ok(tenant.callers.ORG_ADMIN, rest.disableUser, { params });
    expect(await doors(tenant.callers.MANAGER)).toEqual([]);
  });

  it('of a caller whose role was lowered opens what the new role may', async () => {
    const tenant = await createTenant(server, 'lowered');
    const params = { organisationId: tenant.organisationId, userId: tenant.userIds.ORG_ADMIN };
    await server.ok(server.root, rest.updateUser, { params, body: { role: 'USER' } });
    for (const endpoint of scoped) {
      if (endpoint.access === 'signed-in' || endpoint.access === 'public') continue;
      const { status } = await server.call(tenant.callers.ORG_ADMIN, endpoint, {
        params: { ...own, organisationId: tenant.organisationId },
        body: probe(endpoint),
      });
      const allowed = rest.can('USER', endpoint.access);
      expect([endpoint.id, status === 403]).toEqual([endpoint.id, !allowed]);
    }
  });
});
