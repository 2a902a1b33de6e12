import { rest, type ValueScope } from '@tollgate/contracts';

import { resolveKeys } from '../../directory/resolve-keys';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';
import { LARGEST_VALUES } from './current-figures';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  await database.orm.query(`UPDATE organisation SET tag_keys = '{project}' WHERE id = $1`, [
    tenant.organisationId,
  ]);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const scopeOf = (type: ValueScope, tagKey?: string) => ({
  type,
  id: tenant.organisationId,
  ...(tagKey === undefined ? {} : { tagKey }),
});
const budgetOf = (scope: rest.Scope, more: Partial<rest.BudgetCreate> = {}) =>
  server.ok(admin, rest.createBudget, {
    params,
    body: { scope, period: 'DAILY', limitUsd: '2', ...more },
  });

/** What policy learns of the limits of a key. */
async function limitsOf(apiKeyId: string) {
  const [row]: { key_sha256: Buffer }[] = await database.orm.query(
    'SELECT key_sha256 FROM api_key WHERE id = $1',
    [apiKeyId],
  );
  const { keys } = await resolveKeys(database.pool, [row?.key_sha256 ?? Buffer.alloc(32)]);
  const { limits = [], valueLimits = [] } = keys[0]?.context ?? {};
  return { limits, valueLimits };
}

it('a budget of each end user is one row, and keys learn it beside their other limits', async () => {
  const budget = await budgetOf(scopeOf('END_USER'), { requireValue: true });
  expect(budget).toMatchObject({
    scope: { type: 'END_USER', id: tenant.organisationId },
    requireValue: true,
    spentUsd: '0.00',
    heldUsd: '0.00',
  });
  const { limits, valueLimits } = await limitsOf(tenant.userKeyId);
  expect(limits?.map(({ limitId }) => limitId)).not.toContain(budget.id);
  const own = valueLimits?.find(({ limit }) => limit?.limitId === budget.id);
  expect(own).toMatchObject({
    limit: { kind: 'BUDGET', scopeType: 'END_USER', limit: '2000000000', period: 'DAILY' },
    tagKey: '',
    requireValue: true,
  });
  expect(own?.valueKey).toMatch(/^[0-9a-f-]{36}$/);
});

it('says how many keys are in its scope, and how many of them are trusted', async () => {
  const whole = await budgetOf(scopeOf('END_USER'));
  const { active = 0, trusted = 0 } = whole.keysInScope ?? {};
  expect(active).toBeGreaterThan(1);
  const scope = { type: 'SESSION' as const, id: tenant.userKeyId };
  const own = await server.ok(admin, rest.createQuota, {
    params,
    body: { scope, metric: 'REQUESTS', period: 'DAILY', limit: 5 },
  });
  expect(own.keysInScope).toEqual({ active: 1, trusted: 0 });
  const rate = await server.ok(admin, rest.createRateLimit, {
    params,
    body: { scope, requestsPerMinute: 5 },
  });
  expect(rate.keysInScope).toEqual({ active: 1, trusted: 0 });
  await database.orm.query(`UPDATE api_key SET trusted_attribution = 'HEADERS' WHERE id = $1`, [
    tenant.userKeyId,
  ]);
  const { data } = await server.ok(admin, rest.listQuotas, { params });
  expect(data.find(({ id }) => id === own.id)?.keysInScope).toEqual({ active: 1, trusted: 1 });
  const { data: budgets } = await server.ok(admin, rest.listBudgets, { params });
  expect(budgets.find(({ id }) => id === whole.id)?.keysInScope).toEqual({
    active,
    trusted: trusted + 1,
  });
  const ordinary = await budgetOf({ type: 'API_KEY', id: tenant.userKeyId });
  expect(ordinary).not.toHaveProperty('keysInScope');
  await database.orm.query('UPDATE api_key SET trusted_attribution = NULL WHERE id = $1', [
    tenant.userKeyId,
  ]);
});

it('lists read one entry of an index for each limit, however many values there are', async () => {
  const { id, windowStart, windowEnd } = await budgetOf(scopeOf('SESSION'));
  await database.pool.query(
    `INSERT INTO value_window (limit_id, starts_at, ends_at, value_hash, organisation_id, amount)
     SELECT $1, $2, $3, 's' || n, $4, n FROM generate_series(1, 20000) AS n`,
    [id, windowStart, windowEnd, tenant.organisationId],
  );
  await database.pool.query('ANALYZE value_window');
  const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${LARGEST_VALUES}`,
    [[id], [windowStart], [windowEnd]],
  );
  const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
  expect(plan).toContain('value_window_amount_idx');
  // Of the 20,000 values, the largest alone is read.
  const read = [...plan.matchAll(/"Actual Rows":\s*(\d+)/g)].map(([, count]) => Number(count));
  expect(Math.max(...read)).toBe(1);
  const { data } = await server.ok(admin, rest.listBudgets, { params });
  expect(data.find((one) => one.id === id)?.spentUsd).toBe('0.00002');
});

it('the key of the hash is told to nobody and never changes', async () => {
  const budget = await budgetOf(scopeOf('SESSION'), { period: 'LIFETIME' });
  const keyOf = async () => {
    const { valueLimits } = await limitsOf(tenant.userKeyId);
    return valueLimits?.find(({ limit }) => limit?.limitId === budget.id)?.valueKey ?? '';
  };
  const before = await keyOf();
  const body = { limitUsd: '3', requireValue: true };
  const one = { params: { ...params, budgetId: budget.id } };
  const after = await server.ok(admin, rest.updateBudget, { ...one, body });
  expect(after).toMatchObject({ requireValue: true, limitUsd: '3.00', period: 'LIFETIME' });
  expect(await keyOf()).toBe(before);
  expect(JSON.stringify(after)).not.toContain(before);
});

it('tells what the value has spent that has spent most', async () => {
  const budget = await budgetOf(scopeOf('SESSION'));
  for (const [hash, amount] of [
    ['sA', '1500000000'],
    ['sB', '300000000'],
  ]) {
    await database.orm.query(
      `INSERT INTO value_window (limit_id, starts_at, ends_at, value_hash, organisation_id, amount)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [budget.id, budget.windowStart, budget.windowEnd, hash, tenant.organisationId, amount],
    );
  }
  const one = { params: { ...params, budgetId: budget.id } };
  expect(await server.ok(admin, rest.getBudget, one)).toMatchObject({ spentUsd: '1.50' });
});

it('quotas and rate limits of the values of a tag', async () => {
  const scope = scopeOf('TAG', 'project');
  const quota = await server.ok(admin, rest.createQuota, {
    params,
    body: { scope, metric: 'REQUESTS', windowSeconds: 3_600, limit: 5 },
  });
  const rate = await server.ok(admin, rest.createRateLimit, {
    params,
    body: { scope, requestsPerMinute: 10, concurrentRequests: 2 },
  });
  expect([quota.scope, rate.scope]).toEqual([scope, scope]);
  const { valueLimits } = await limitsOf(tenant.userKeyId);
  const told = valueLimits?.filter(({ tagKey }) => tagKey === 'project') ?? [];
  expect(new Set(told.map(({ limit }) => limit?.limitId))).toEqual(
    new Set([quota.id, `${rate.id}:rpm`, `${rate.id}:conc`]),
  );
  const list = await server.ok(admin, rest.listRateLimits, { params, query: { scopeType: 'TAG' } });
  expect(list.data.map(({ id }) => id)).toEqual([rate.id]);
});

it('binds only the key that it names', async () => {
  const budget = await budgetOf({ type: 'SESSION', id: tenant.teamKeyId });
  const { valueLimits } = await limitsOf(tenant.teamKeyId);
  expect(valueLimits?.map(({ limit }) => limit?.limitId)).toContain(budget.id);
  const others = await limitsOf(tenant.userKeyId);
  expect(others.valueLimits?.map(({ limit }) => limit?.limitId)).not.toContain(budget.id);
});

it.each<[string, Partial<rest.BudgetCreate>, string]>([
  ['a lifetime of an ordinary limit', { period: 'LIFETIME' }, 'period'],
  ['a required value of an ordinary limit', { requireValue: true }, 'requireValue'],
])('refuses %s', async (_what, more, path) => {
  const scope = { type: 'ORGANISATION' as const, id: tenant.organisationId };
  const body = { scope, period: 'DAILY' as const, limitUsd: '1', ...more };
  const refused = await server.refused(admin, rest.createBudget, { params, body });
  expect(refused).toMatchObject({ status: 422, path });
});

it.each<[string, () => rest.Scope, string]>([
  ['a tag that the organisation does not know', () => scopeOf('TAG', 'planet'), 'scope.tagKey'],
  ['TAG without a tag', () => scopeOf('TAG'), 'scope.tagKey'],
  ['a session with a tag', () => scopeOf('SESSION', 'project'), 'scope.tagKey'],
  ['a scope of nobody', () => ({ type: 'SESSION', id: tenant.userIds.USER }), 'scope.id'],
])('refuses %s', async (_what, scope, path) => {
  const body = { scope: scope(), period: 'DAILY' as const, limitUsd: '1' };
  const refused = await server.refused(admin, rest.createBudget, { params, body });
  expect(refused).toMatchObject({ status: 422, path });
});

it('refuses a required value of an ordinary limit in a change, too', async () => {
  const one = { params: { ...params, budgetId: tenant.budgetId } };
  const refused = await server.refused(admin, rest.updateBudget, {
    ...one,
    body: { requireValue: true },
  });
  expect(refused).toMatchObject({ status: 422, path: 'requireValue' });
});

it('an organisation has at most 32 of them', async () => {
  const other = await createTenant(server, 'many');
  const create = () => ({
    params: { organisationId: other.organisationId },
    body: {
      scope: { type: 'SESSION' as const, id: other.organisationId },
      period: 'DAILY' as const,
      limitUsd: '1',
    },
  });
  const caller = other.callers.ORG_ADMIN;
  for (let n = 0; n < 32; n += 1) await server.ok(caller, rest.createBudget, create());
  const refused = await server.refused(caller, rest.createBudget, create());
  expect(refused).toMatchObject({ status: 422, path: 'scope.type' });
});
