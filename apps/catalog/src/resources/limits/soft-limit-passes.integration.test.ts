import { rest } from '@tollgate/contracts';
import type { SoftLimitPassed__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { reportSoftLimits } from '../../ledger/reports/soft-limits';
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
  NOON_MS,
  startTestDatabases,
  type TestDatabases,
} from '../../test-support';

// Passes of soft limits, as the API lists them.

const HOUR_MS = 3_600_000;

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

let organisations = 0;
beforeEach(async () => {
  organisations += 1;
  tenant = await createTenant(server, `acme-${organisations}`);
});

const passed = (values: Partial<SoftLimitPassed__Output>): SoftLimitPassed__Output => ({
  organisationId: tenant.organisationId,
  limitId: tenant.budgetId,
  kind: 'BUDGET',
  metric: 'COST',
  scopeType: 'ORGANISATION',
  scopeId: tenant.organisationId,
  windowStartMs: NOON_MS,
  windowEndMs: NOON_MS + HOUR_MS,
  limit: '1000000000',
  settled: '900000000',
  held: '200000000',
  atMs: NOON_MS + 60_000,
  requestId: '',
  ...values,
});
const report = (...rows: Partial<SoftLimitPassed__Output>[]) =>
  reportSoftLimits(database.pool, rows.map(passed));

const list = (query: object = {}, who: Who = tenant.callers.ORG_ADMIN) =>
  server.ok(who, rest.listSoftLimitPasses, {
    params: { organisationId: tenant.organisationId },
    query,
  });
const limitsIn = async (query: object = {}, who?: Who): Promise<string[]> =>
  (await list(query, who)).data.map(({ limitId }) => limitId).toSorted();

test('a pass says which limit, whom it binds, and how it stood', async () => {
  await report({});
  expect((await list()).data).toEqual([
    {
      id: expect.any(String),
      limitId: tenant.budgetId,
      kind: 'BUDGET',
      metric: 'COST',
      scope: { type: 'ORGANISATION', id: tenant.organisationId },
      value: null,
      requestId: null,
      windowStart: new Date(NOON_MS).toISOString(),
      windowEnd: new Date(NOON_MS + HOUR_MS).toISOString(),
      limit: '1.00',
      spent: '0.90',
      held: '0.20',
      at: new Date(NOON_MS + 60_000).toISOString(),
    },
  ]);
});

test('they are narrowed by limit, kind of limit and time, and come in pages', async () => {
  const { budgetId, quotaId, rateLimitId } = tenant;
  const later = { windowStartMs: NOON_MS + HOUR_MS, windowEndMs: NOON_MS + 2 * HOUR_MS };
  await report(
    {},
    later,
    { limitId: quotaId, kind: 'QUOTA', metric: 'REQUESTS' },
    { limitId: `${rateLimitId}:rpm`, kind: 'RATE_REQUESTS', metric: '' },
  );
  expect(await limitsIn({ limitId: budgetId })).toEqual([budgetId, budgetId]);
  expect(await limitsIn({ resource: 'quota' })).toEqual([quotaId]);
  expect(await limitsIn({ resource: 'rate-limit' })).toEqual([rateLimitId]);
  expect(await limitsIn({ from: new Date(Date.now() + HOUR_MS).toISOString() })).toEqual([]);
  expect(await limitsIn({ to: new Date(Date.now() + HOUR_MS).toISOString() })).toHaveLength(4);
  const first = await list({ limit: '3' });
  expect(first.data).toHaveLength(3);
  const rest0 = await list({ limit: '3', cursor: first.nextCursor });
  expect(rest0.data).toHaveLength(1);
  expect(rest0.nextCursor).toBeNull();
});

test('of a key, those of every limit that binds it, and no others', async () => {
  const { teamId, otherTeamId, userKeyId, organisationKeyId, modelId, userIds } = tenant;
  const scopes = [
    ['ORGANISATION', tenant.organisationId, 1],
    ['TEAM', teamId, 2],
    ['TEAM', otherTeamId, 3],
    ['USER', userIds.USER, 4],
    ['API_KEY', userKeyId, 5],
    ['API_KEY', organisationKeyId, 6],
    ['MODEL', modelId, 7],
    // Granted to the user's key alone.
    ['MCP_SERVER', tenant.mcpServerId, 8],
    ['END_USER', teamId, 9],
    ['SESSION', otherTeamId, 10],
    ['TAG', userKeyId, 11],
    ['END_USER', tenant.organisationId, 12],
  ] as const;
  await report(
    ...scopes.map(([scopeType, scopeId, at]) => ({
      scopeType,
      scopeId,
      limit: String(at),
      metric: 'REQUESTS',
      kind: 'QUOTA',
      windowStartMs: at,
    })),
  );
  const seen = async (query: object, who?: Who) =>
    (await list(query, who)).data.map(({ limit }) => Number(limit)).toSorted((a, b) => a - b);
  expect(await seen({ apiKeyId: userKeyId })).toEqual([1, 2, 4, 5, 7, 8, 9, 11, 12]);
  expect(await seen({ apiKeyId: organisationKeyId })).toEqual([1, 6, 7, 12]);
  expect(await seen({ scopeType: 'TEAM', scopeId: teamId })).toEqual([2]);
  // Passes are visible to those who see the limit.
  expect(await seen({}, tenant.callers.MANAGER)).toEqual([2, 5, 9, 11]);
  expect(await seen({}, tenant.callers.USER)).toEqual([4, 5, 11]);
});

test("another organisation's passes and keys are not there", async () => {
  await report({});
  const other = await createTenant(server, `rival-${organisations}`);
  const params = { organisationId: other.organisationId };
  const who = other.callers.ORG_ADMIN;
  expect((await server.ok(who, rest.listSoftLimitPasses, { params })).data).toEqual([]);
  const query = { apiKeyId: tenant.userKeyId };
  const { status } = await server.call(who, rest.listSoftLimitPasses, { params, query });
  expect(status).toBe(404);
});

test('a limit on each value says which one passed it, as long as its record names it', async () => {
  const { organisationId } = tenant;
  const requestIds = { END_USER: uuidv7(), SESSION: uuidv7(), TAG: uuidv7(), nobody: uuidv7() };
  await database.pool.query(`UPDATE organisation SET tag_keys = '{project}' WHERE id = $1`, [
    organisationId,
  ]);
  const { id: budgetId } = await server.ok(tenant.callers.ORG_ADMIN, rest.createBudget, {
    params: { organisationId },
    body: {
      scope: { type: 'TAG', id: organisationId, tagKey: 'project' },
      period: 'DAILY',
      limitUsd: '2',
    },
  });
  const settle = { endUser: 'ada', session: 's1', tags: 'app:x, project:blue' };
  await appendNext(
    database.pool,
    tenant,
    Object.values(requestIds)
      .slice(0, 3)
      .map((requestId) => entryOf(chargedOf(tenant), { requestId, settle })),
  );
  const scopes = ['END_USER', 'SESSION', 'TAG'] as const;
  await report(
    ...scopes.map((scopeType, n) => ({
      scopeType,
      requestId: requestIds[scopeType],
      limitId: `${budgetId}~${scopeType.charAt(0).toLowerCase()}${String(n).padStart(22, '0')}`,
    })),
    {
      scopeType: 'SESSION',
      requestId: requestIds.nobody,
      limitId: `${budgetId}~s${'9'.repeat(22)}`,
    },
  );
  const values = async () => {
    const { data } = await list();
    return new Map(data.map(({ requestId, value }) => [requestId, value]));
  };
  const named = [
    [requestIds.END_USER, 'ada'],
    [requestIds.SESSION, 's1'],
    [requestIds.TAG, 'blue'],
    [requestIds.nobody, null],
  ] as const;
  expect(await values()).toEqual(new Map(named));
  const { data } = await list({ scopeType: 'TAG' });
  expect(data).toMatchObject([{ scope: { type: 'TAG', tagKey: 'project' } }]);
  await server.ok(tenant.callers.ORG_ADMIN, rest.forgetEndUser, {
    params: { organisationId },
    body: { endUser: 'ada' },
  });
  expect((await values()).get(requestIds.END_USER)).toBe(rest.FORGOTTEN);
});

test('a request of another organisation names no value', async () => {
  const other = await createTenant(server, `rival-${organisations}-b`);
  const requestId = uuidv7();
  await appendNext(database.pool, other, [
    entryOf(chargedOf(other), { requestId, settle: { session: 'secret' } }),
  ]);
  await report({ scopeType: 'SESSION', requestId });
  expect((await list()).data).toMatchObject([{ requestId, value: null }]);
});
