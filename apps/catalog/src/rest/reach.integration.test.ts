import { rest, ROLES, type Role } from '@tollgate/contracts';

import type { Database } from '../schema';
import { startTestDatabases, type TestDatabases } from '../test-support';
import {
  BODIES,
  bookMcpRecord,
  bookRecord,
  createTenant,
  startRest,
  type Params,
  type RestServer,
  type Tenant,
  type Who,
} from './test-support';

/**
 * Reach within one organisation: objects of a manager's teams, of the caller, of another team and
 * of other users, for every endpoint that the role table narrows to `teams` or `self`.
 */

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let acme: Tenant;
let callers: Record<Role, Who>;
let strangerId: string;
let made = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  acme = await createTenant(server, 'acme');
  callers = { SUPER_ADMIN: server.root, ...acme.callers };
  strangerId = await newUser();
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const ADMINS = ['SUPER_ADMIN', 'ORG_ADMIN'] as const;

/** Owners of objects, and the roles whose reach includes them. */
const OWNERS = {
  'the managed team': { scope: 'TEAM', id: () => acme.teamId, within: ['MANAGER'] },
  'another team': { scope: 'TEAM', id: () => acme.otherTeamId, within: [] },
  'the manager': { scope: 'USER', id: () => acme.userIds.MANAGER, within: ['MANAGER'] },
  'the user': { scope: 'USER', id: () => acme.userIds.USER, within: ['USER'] },
  'another user': { scope: 'USER', id: () => strangerId, within: [] },
  'the organisation': { scope: 'ORGANISATION', id: () => acme.organisationId, within: [] },
} as const;
type Owner = keyof typeof OWNERS;
const ownerNames = Object.keys(OWNERS) as Owner[];

const isWithin = (role: Role, within: readonly Role[]): boolean =>
  ADMINS.some((admin) => admin === role) || within.includes(role);

/** Bodies that create an object of each kind. */
const DRAFTS = {
  apiKeyId: { create: rest.createApiKey, body: keyBody },
  budgetId: { create: rest.createBudget, body: limitBody({ period: 'DAILY', limitUsd: '1' }) },
  quotaId: {
    create: rest.createQuota,
    body: limitBody({ metric: 'REQUESTS', windowSeconds: 3_600, limit: 1 }),
  },
  rateLimitId: { create: rest.createRateLimit, body: limitBody({ requestsPerMinute: 1 }) },
} as const;
type Drafted = keyof typeof DRAFTS;
const LIMITS: readonly string[] = ['budgetId', 'quotaId', 'rateLimitId'];

function keyBody(owner: Owner): Record<string, unknown> {
  const { scope, id } = OWNERS[owner];
  const named = scope === 'TEAM' ? { teamId: id() } : scope === 'USER' ? { userId: id() } : {};
  return { name: owner, type: scope, ...named };
}

function limitBody(values: Record<string, unknown>) {
  return (owner: Owner): Record<string, unknown> => {
    const { scope, id } = OWNERS[owner];
    return { ...values, scope: { type: scope, id: id() } };
  };
}

async function draft(kind: Drafted, owner: Owner): Promise<Params> {
  const { create, body } = DRAFTS[kind];
  const endpoint: rest.Endpoint = create;
  const made = await server.ok(callers.ORG_ADMIN, endpoint, {
    params: { organisationId: acme.organisationId },
    body: body(owner),
  });
  return { [kind]: (made as { id: string }).id };
}

async function newUser(): Promise<string> {
  const user = await server.ok(server.root, rest.createUser, {
    params: { organisationId: acme.organisationId },
    body: {
      email: `guest-${(made += 1)}@example.com`,
      name: 'Guest',
      password: 'a long enough password',
      role: 'USER',
    },
  });
  return user.id;
}

/** A record charged to the owner. */
async function record(owner: Owner): Promise<Params> {
  const requestId = await bookRecord(database.orm, acme, Date.now());
  const { scope, id } = OWNERS[owner];
  await database.pool.query('UPDATE usage_record SET team_id = $2, user_id = $3 WHERE id = $1', [
    requestId,
    scope === 'TEAM' ? id() : null,
    scope === 'USER' ? id() : null,
  ]);
  return { requestId };
}

/** A request to an MCP server, charged to the owner. */
async function mcpRecord(owner: Owner): Promise<Params> {
  const mcpRecordId = await bookMcpRecord(database.orm, acme, Date.now());
  const { scope, id } = OWNERS[owner];
  await database.pool.query(
    'UPDATE mcp_usage_record SET team_id = $2, user_id = $3 WHERE id = $1',
    [mcpRecordId, scope === 'TEAM' ? id() : null, scope === 'USER' ? id() : null],
  );
  return { mcpRecordId };
}

/** A team with its own member. */
async function teamOf(teamId: string): Promise<Params> {
  const userId = await newUser();
  const params = { organisationId: acme.organisationId, teamId };
  await server.ok(callers.ORG_ADMIN, rest.addTeamMember, { params, body: { userId } });
  return { teamId, userId };
}

async function ungrantedServer(): Promise<Params> {
  const { id } = await server.ok(callers.ORG_ADMIN, rest.createMcpServer, {
    params: { organisationId: acme.organisationId },
    body: { identifier: `s-${(made += 1)}`, name: 'Unused', url: 'http://127.0.0.1:9/mcp' },
  });
  return { mcpServerId: id };
}

/** A view that an administrator shares; those of others have a test of their own. */
async function sharedView(): Promise<Params> {
  const { id } = await server.ok(callers.ORG_ADMIN, rest.createUsageView, {
    params: { organisationId: acme.organisationId },
    body: { name: `view ${String((made += 1))}`, parameters: {}, shared: true },
  });
  return { usageViewId: id };
}

interface Object {
  readonly whose: string;
  readonly make: () => Promise<Params>;
  readonly within: readonly Role[];
}

const owned = (make: (owner: Owner) => Promise<Params>): Object[] =>
  ownerNames.map((owner) => ({
    whose: `of ${owner}`,
    make: () => make(owner),
    within: OWNERS[owner].within,
  }));

/** Objects of every kind with narrowed reach, by their path parameter. */
const OBJECTS: Readonly<Record<string, readonly Object[]>> = {
  apiKeyId: owned((owner) => draft('apiKeyId', owner)),
  budgetId: owned((owner) => draft('budgetId', owner)),
  quotaId: owned((owner) => draft('quotaId', owner)),
  rateLimitId: owned((owner) => draft('rateLimitId', owner)),
  requestId: owned(record),
  mcpRecordId: owned(mcpRecord),
  teamId: [
    { whose: 'that is theirs', make: () => teamOf(acme.teamId), within: ['MANAGER', 'USER'] },
    { whose: 'of others', make: () => teamOf(acme.otherTeamId), within: [] },
  ],
  userId: [
    {
      whose: 'who is the user',
      make: () => Promise.resolve({ userId: acme.userIds.USER }),
      within: ['MANAGER', 'USER'],
    },
    {
      whose: 'who is another',
      make: () => Promise.resolve({ userId: strangerId }),
      within: ['MANAGER'],
    },
  ],
  usageViewId: [{ whose: 'that is shared', make: sharedView, within: [] }],
  mcpServerId: [
    {
      whose: "granted to the user's key",
      make: () => Promise.resolve({ mcpServerId: acme.mcpServerId }),
      within: ['MANAGER', 'USER'],
    },
    { whose: 'granted to nobody', make: ungrantedServer, within: ['MANAGER'] },
  ],
};

const NARROW: readonly (rest.Reach | undefined)[] = ['teams', 'self'];
const narrowed = rest.ENDPOINTS.filter(
  ({ access, path }) =>
    path.startsWith('/api/organisations/') &&
    access !== 'public' &&
    access !== 'signed-in' &&
    ROLES.some((role) => NARROW.includes(rest.reachOf(role, access))),
);
const ofOneObject = narrowed.filter(({ path }) => /:organisationId\/.*:/.test(path));

/** The deciding parameter: for a team's member it is the team. */
const kindOf = ({ path }: rest.Endpoint): string =>
  /:(?!organisationId)([A-Za-z]+)/.exec(path)?.[1] ?? '';

const cases = ofOneObject.flatMap((endpoint) => {
  const objects = OBJECTS[kindOf(endpoint)] ?? [
    { whose: 'of a kind that this test does not know', make: unknown, within: [] },
  ];
  return objects.map((object) => [endpoint.id, object.whose, endpoint, object] as const);
});

function unknown(): Promise<Params> {
  throw new Error('say in OBJECTS what is within whose reach');
}

describe.each(cases)('%s %s', (id, _whose, endpoint, object) => {
  it.each(ROLES)('is answered to %s as the reach says', async (role) => {
    const { access, method } = endpoint;
    const params = { ...(await object.make()), organisationId: acme.organisationId };
    const needsBody = !endpoint.body.safeParse(undefined).success;
    const newcomer = id === rest.addTeamMember.id ? { userId: await newUser() } : BODIES[id];
    const body = needsBody ? newcomer : undefined;
    const { status } = await server.call(callers[role], endpoint, { params, body });

    const within = isWithin(role, object.within);
    const allowed = access !== 'public' && access !== 'signed-in' && rest.can(role, access);
    // Users see limits on themselves, but cannot change them.
    const isOwnLimit =
      LIMITS.includes(kindOf(endpoint)) && method !== 'GET' && object.whose === 'of the manager';
    if (!allowed || (isOwnLimit && role === 'MANAGER')) expect(status).toBe(403);
    else expect(status).toBe(within ? endpoint.status : 404);
  });
});

const drafts = (Object.keys(DRAFTS) as Drafted[]).flatMap((kind) =>
  ownerNames.map((owner) => [DRAFTS[kind].create.id, owner, kind] as const),
);

describe.each(drafts)('%s for %s', (_id, owner, kind) => {
  it.each(ROLES)('is done for %s as the reach says', async (role) => {
    const endpoint: rest.Endpoint = DRAFTS[kind].create;
    const { status } = await server.call(callers[role], endpoint, {
      params: { organisationId: acme.organisationId },
      body: DRAFTS[kind].body(owner),
    });
    const within = isWithin(role, OWNERS[owner].within);
    const allowed = endpoint.access !== 'public' && endpoint.access !== 'signed-in';
    const may = allowed && rest.can(role, endpoint.access) && within;
    const isOwnLimit = LIMITS.includes(kind) && owner === 'the manager' && role === 'MANAGER';
    expect(status).toBe(may && !isOwnLimit ? 201 : 403);
  });
});

/** The kind of objects in each list. */
const LISTS: Readonly<Record<string, string>> = {
  listApiKeys: 'apiKeyId',
  listBudgets: 'budgetId',
  listQuotas: 'quotaId',
  listRateLimits: 'rateLimitId',
  listUsageRecords: 'requestId',
  listMcpUsageRecords: 'mcpRecordId',
  listTeams: 'teamId',
  listUsers: 'userId',
  listMcpServers: 'mcpServerId',
  listUsageViews: 'usageViewId',
};

/** Endpoints that return figures or choices instead of objects; their own tests cover reach. */
const FIGURES: readonly string[] = [
  rest.createPlaygroundKey.id,
  rest.createUsageView.id,
  rest.listGrantableModels.id,
  rest.listSoftLimitPasses.id,
  rest.getUsageRollup.id,
  rest.exploreUsage.id,
  rest.listUsageSessions.id,
  rest.getResidencyReport.id,
  rest.exportResidencyReport.id,
  rest.listRefusedRequests.id,
  rest.exportUsageRecords.id,
  rest.watchUsageRecords.id,
  rest.exportMcpUsageRecords.id,
  rest.listUsageAdjustments.id,
];

it('everything that is narrowed has an expectation', () => {
  const expected = new Set([
    ...cases.map(([id]) => id),
    ...drafts.map(([id]) => id),
    ...Object.keys(LISTS),
    ...FIGURES,
  ]);
  expect(narrowed.filter(({ id }) => !expected.has(id)).map(({ id }) => id)).toEqual([]);
});

describe.each(narrowed.filter(({ id }) => id in LISTS).map((one) => [one.id, one] as const))(
  '%s',
  (id, endpoint) => {
    it.each(['ORG_ADMIN', 'MANAGER', 'USER'] as const)(
      'tells %s what is within reach, and nothing else',
      async (role) => {
        const kind = LISTS[id] ?? '';
        const objects = OBJECTS[kind] ?? [];
        const expected = [];
        for (const object of objects) {
          const params = await object.make();
          expected.push([object.whose, params[kind] ?? '', isWithin(role, object.within)] as const);
        }
        const { organisationId } = acme;
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const query = { limit: '200', ...(cursor === null ? {} : { cursor }) };
          const { body } = await server.call(callers[role], endpoint, {
            params: { organisationId },
            query,
          });
          const page = body as { data: { id: string }[]; nextCursor: string | null };
          seen.push(...page.data.map((row) => row.id));
          cursor = page.nextCursor;
        } while (cursor !== null);
        const told = expected.map(([whose, objectId]) => [whose, seen.includes(objectId)]);
        expect(told).toEqual(expected.map(([whose, , within]) => [whose, within]));
      },
    );
  },
);
