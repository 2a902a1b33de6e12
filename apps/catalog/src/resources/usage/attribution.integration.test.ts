import { nameOfKey, rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import {
  appendNext,
  entryOf,
  startTestDatabases,
  type EntryValues,
  type TestDatabases,
} from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

const AT = Date.parse('2026-03-10T12:00:00Z');
const HOUR_MS = 3_600_000;
const SPAN = { from: '2026-03-09T00:00:00Z', to: '2026-03-12T00:00:00Z' };
const SESSION = '123e4567-e89b-12d3-a456-426614174000';
const ids: string[] = [];

function entry(
  hours: number,
  settle: NonNullable<EntryValues['settle']>,
  charged = chargedOf(tenant),
) {
  const atMs = AT + hours * HOUR_MS;
  const requestId = uuidv7(atMs);
  ids.push(requestId);
  return entryOf(charged, { requestId, authorisedAtMs: atMs, timeZone: 'UTC', settle });
}

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  const ofKey = nameOfKey(SESSION, chargedOf(tenant).apiKeyId);
  const foreign = {
    ...chargedOf(tenant),
    teamId: '',
    userId: '',
    apiKeyId: tenant.organisationKeyId,
  };
  await appendNext(database.pool, tenant, [
    entry(0, {
      costNanoUsd: '1000',
      endUser: 'ada',
      session: ofKey,
      agentClass: 'main',
      tags: 'project:blue, tier:gold',
    }),
    entry(1, {
      costNanoUsd: '2000',
      endUser: 'ada',
      session: ofKey,
      agentClass: 'subagent',
      agentId: 'a1',
      agentType: 'Explore',
      tags: 'project:blue',
    }),
    entry(
      2,
      { costNanoUsd: '4000', endUser: 'bob', session: SESSION, tags: 'project:red' },
      foreign,
    ),
    entry(3, { costNanoUsd: '8000' }),
    entry(4, {
      costNanoUsd: '500',
      outcome: 'FAILED',
      httpStatus: 502,
      endUser: 'ada',
      tags: 'x.project:blue',
    }),
  ]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const explore = (query: Record<string, unknown>, who: Who = admin) =>
  server.ok(who, rest.exploreUsage, { params, query: { ...SPAN, ...query } });
const groupsOf = async (query: Record<string, unknown>, who?: Who) => {
  const { groups } = await explore(query, who);
  return groups.map(({ group, totals }) => [group.id, totals.requests, totals.costUsd]);
};

test('usage groups by end user, session, class of agent and each tag, largest first', async () => {
  expect(await groupsOf({ groupBy: 'end-user' })).toEqual([
    [null, 1, '0.000008'],
    ['bob', 1, '0.000004'],
    ['ada', 3, '0.0000035'],
  ]);
  expect((await groupsOf({ groupBy: 'session' })).slice(1)).toEqual([
    [SESSION, 1, '0.000004'],
    [nameOfKey(SESSION, chargedOf(tenant).apiKeyId), 2, '0.000003'],
  ]);
  expect((await groupsOf({ groupBy: 'agent-class' })).slice(1)).toEqual([
    ['subagent', 1, '0.000002'],
    ['main', 1, '0.000001'],
  ]);
  expect(await groupsOf({ groupBy: 'tag', tagKey: 'project' })).toEqual([
    [null, 2, '0.0000085'],
    ['red', 1, '0.000004'],
    ['blue', 2, '0.000003'],
  ]);
});

test('the largest groups are listed, and their number is told', async () => {
  const answer = await explore({ groupBy: 'end-user', top: 1 });
  expect(answer.groups).toHaveLength(1);
  expect(answer.groupCount).toBe(3);
  expect(answer.totals.requests).toBe(5);
});

test('filters narrow every other grouping, totals and series', async () => {
  expect(await groupsOf({ groupBy: 'status', endUser: 'ada' })).toEqual([
    ['COMPLETED', 2, '0.000003'],
    ['FAILED', 1, '0.0000005'],
  ]);
  const tagged = await explore({ tag: 'project:blue', bucket: 'hour' });
  expect(tagged.totals).toMatchObject({ requests: 2, costUsd: '0.000003', latencyMs: null });
  expect(tagged.series.map(({ start }) => start)).toEqual([
    '2026-03-10T12:00:00.000Z',
    '2026-03-10T13:00:00.000Z',
  ]);
  const compared = await explore({ agentClass: 'main', compare: 'true', bucket: 'day' });
  expect(compared).toMatchObject({
    totals: { requests: 1 },
    previous: { totals: { requests: 0 } },
  });
  const listed = await server.ok(admin, rest.listUsageRecords, {
    params,
    query: { ...SPAN, endUser: 'ada', agentClass: 'subagent' },
  });
  expect(listed.data).toMatchObject([{ agentId: 'a1', agentType: 'Explore', endUser: 'ada' }]);
});

test('a caller sees only what is within reach', async () => {
  expect(await groupsOf({ groupBy: 'end-user' }, tenant.callers.USER)).toEqual([
    [null, 1, '0.000008'],
    ['ada', 3, '0.0000035'],
  ]);
  const query = { session: SESSION };
  const { data } = await server.ok(tenant.callers.USER, rest.listUsageSessions, { params, query });
  expect(data.map(({ session }) => session)).toEqual([
    nameOfKey(SESSION, chargedOf(tenant).apiKeyId),
  ]);
});

test.each([
  [{ groupBy: 'tag' }, 'tagKey'],
  [{ groupBy: 'session', tagKey: 'project' }, 'tagKey'],
  [{ groupBy: 'session', from: '2026-01-01T00:00:00Z' }, 'from'],
])('%j is refused', async (query, field) => {
  const refused = await server.refused(admin, rest.exploreUsage, {
    params,
    query: { ...SPAN, ...query } as never,
  });
  expect(refused).toMatchObject({ status: 422, path: field });
});

test('a session is found by the name that its agent gave it, with its agents and corrections', async () => {
  const [first = ''] = ids;
  await server.ok(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId: first },
    body: { costUsd: '0.000001', reason: 'a test' },
  });
  const query = { session: SESSION };
  const { data } = await server.ok(admin, rest.listUsageSessions, { params, query });
  expect(data).toMatchObject([
    { session: SESSION, apiKeyId: null, requests: 1, costUsd: '0.000004' },
    {
      session: nameOfKey(SESSION, chargedOf(tenant).apiKeyId),
      apiKeyId: chargedOf(tenant).apiKeyId,
      firstAt: '2026-03-10T12:00:00.000Z',
      requests: 2,
      costUsd: '0.000004',
      agents: [
        { agentId: null, requests: 1, costUsd: '0.000002' },
        { agentId: 'a1', agentType: 'Explore', requests: 1, costUsd: '0.000002' },
      ],
    },
  ]);
  expect(
    await groupsOf({
      groupBy: 'agent-class',
      session: nameOfKey(SESSION, chargedOf(tenant).apiKeyId),
    }),
  ).toEqual([
    ['main', 1, '0.000002'],
    ['subagent', 1, '0.000002'],
  ]);
});

test('without a name, the sessions of the last day are listed', async () => {
  expect(await server.ok(admin, rest.listUsageSessions, { params })).toEqual({ data: [] });
  const atMs = Date.now() - HOUR_MS;
  const requestId = uuidv7(atMs);
  const other = await createTenant(server, 'newer');
  await appendNext(database.pool, other, [
    entryOf(chargedOf(other), {
      requestId,
      authorisedAtMs: atMs,
      timeZone: 'UTC',
      settle: { costNanoUsd: '7000', session: 'today' },
    }),
  ]);
  const { data } = await server.ok(other.callers.ORG_ADMIN, rest.listUsageSessions, {
    params: { organisationId: other.organisationId },
  });
  expect(data).toMatchObject([{ session: 'today', requests: 1, costUsd: '0.000007' }]);
});

test('the sums of a session include the agents that are not listed, and long tags are kept whole', async () => {
  const other = await createTenant(server, 'crowd');
  const agents = rest.SESSION_AGENTS + 3;
  const tags = Array.from({ length: 10 }, (_, at) => `tag${String(at)}:${'v'.repeat(120)}`).join(
    ', ',
  );
  const entries = Array.from({ length: agents }, (_, at) => {
    const agentId = at === 0 ? '' : `agent-${String(at)}`;
    const settle = { costNanoUsd: '1000', session: 'crowd', agentId, tags };
    return { ...entry(at / 100, settle, chargedOf(other)) };
  });
  await appendNext(database.pool, other, entries);
  const where = { organisationId: other.organisationId };
  const [session] = (
    await server.ok(other.callers.ORG_ADMIN, rest.listUsageSessions, {
      params: where,
      query: { session: 'crowd' },
    })
  ).data;
  expect(session).toMatchObject({
    requests: agents,
    costUsd: '0.000103',
    moreAgents: 3,
    firstAt: '2026-03-10T12:00:00.000Z',
  });
  expect(session?.agents).toHaveLength(rest.SESSION_AGENTS);
  expect(session?.agents[0]?.agentId).toBeNull();
  const last = await server.ok(other.callers.ORG_ADMIN, rest.exploreUsage, {
    params: where,
    query: { ...SPAN, groupBy: 'tag', tagKey: 'tag9' },
  });
  expect(last.groups.map(({ group }) => group.id)).toEqual(['v'.repeat(120)]);
});

test('a forgotten end user has no name in records and in the trail, and every sum stays', async () => {
  const before = await explore({});
  const body = { endUser: 'ada' };
  const { MANAGER: manager } = tenant.callers;
  expect(await server.refused(manager, rest.forgetEndUser, { params, body })).toMatchObject({
    status: 403,
  });
  const forgotten = await server.ok(admin, rest.forgetEndUser, { params, body });
  expect(forgotten).toEqual({ records: 3, more: false });
  expect(await server.ok(admin, rest.forgetEndUser, { params, body })).toMatchObject({
    records: 0,
  });
  expect((await groupsOf({ groupBy: 'end-user' })).map(([id]) => id)).toEqual([
    null,
    'forgotten',
    'bob',
  ]);
  expect((await explore({})).totals).toEqual(before.totals);
  const trail = await server.ok(admin, rest.listAuditEvents, {
    params,
    query: { action: 'usage.forget_end_user' },
  });
  expect(trail.data).toMatchObject([{ after: { records: 3 } }]);
  expect(JSON.stringify(trail)).not.toContain('ada"');
});
