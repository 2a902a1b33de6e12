import { randomUUID } from 'node:crypto';
import { windowAt, type ValueScope } from '@tollgate/contracts';
import { createLogger, systemClock } from '@tollgate/kit';

import { startHousekeeping, type Database } from '../schema';
import {
  appendNext,
  createBudget,
  createQuota,
  createTenant,
  entryOf,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../test-support';
import { evaluate } from './evaluate';
import { alertsOf, createMailDestination, createRule } from './test-support';

let databases: TestDatabases;
let database: Database & { url: string };
let tenant: Tenant;
const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });

beforeAll(async () => {
  databases = await startTestDatabases();
});
beforeEach(async () => {
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
});
afterAll(() => databases.stop());

const HOUR_MS = 3_600_000;
const LIMIT = 1_000n;
const day = windowAt({ period: 'DAILY' }, NOON_MS, 'UTC');
const lifetime = windowAt({ period: 'LIFETIME' }, NOON_MS, 'UTC');
const hashOf = (name: string): string => `e${name.padEnd(22, 'x').slice(0, 22)}`;

const run = async (nowMs = NOON_MS): Promise<number> => {
  const raised = await evaluate({ pool: database.pool, log }, nowMs);
  return [...raised.values()].reduce((sum, count) => sum + count, 0);
};
const rule = (values = {}, destinations: string[] = []) =>
  createRule(
    database.pool,
    tenant,
    { kind: 'BUDGET_USED', thresholds: [50, 80, 100], scopeTypes: null, budgetId: null, ...values },
    destinations,
  );
const budget = (scopeType: ValueScope = 'END_USER', values = {}) =>
  createBudget(database.orm, tenant, {
    scopeType,
    scopeId: tenant.organisationId,
    valueKey: randomUUID(),
    limitNanoUsd: LIMIT,
    ...values,
  });

/** Books a request of each value that costs so much. */
async function spend(
  limitId: string,
  costs: Readonly<Record<string, number>>,
  window = day,
  who: (name: string) => Record<string, string> = (endUser) => ({ endUser }),
): Promise<void> {
  const entries = Object.entries(costs).map(([name, cost]) =>
    entryOf(tenant, {
      touched: [
        {
          limitId: `${limitId}~${hashOf(name)}`,
          windowStartMs: window.startMs,
          windowEndMs: window.endMs,
          amount: String(cost),
        },
      ],
      settle: { costNanoUsd: String(cost), ...who(name) },
    }),
  );
  await appendNext(database.pool, tenant, entries);
}

test('an alert says how many values have reached a threshold, and names those that used most', async () => {
  const limitId = await budget();
  const ruleId = await rule();
  await spend(limitId, { ada: 490, bob: 400 });
  expect(await run()).toBe(0);
  await spend(limitId, { ada: 20, bob: 150, cleo: 10 });
  expect(await run()).toBe(1);
  expect(await run()).toBe(0);
  expect(await alertsOf(database.pool, ruleId)).toMatchObject([
    {
      subject_id: limitId,
      threshold: 50,
      value: 550n,
      title: 'Daily budget of each end user in Test: 2 end users at 50 %',
      text: '2 end users have used 50 % or more of $0.000001: "bob" $0.00000055 (55 %), "ada" $0.00000051 (51 %). Usage in the console shows their requests.',
    },
  ]);
});

test('a jump over several thresholds raises one alert, of the highest', async () => {
  const limitId = await budget();
  const ruleId = await rule();
  await spend(limitId, { ada: 2_000 });
  expect(await run()).toBe(1);
  expect(await run()).toBe(0);
  expect(await alertsOf(database.pool, ruleId)).toMatchObject([
    {
      threshold: 100,
      title: 'Daily budget of each end user in Test: 1 end user at 100 %',
    },
  ]);
});

test('more values raise the next alert in the next hour, the same values none', async () => {
  const limitId = await budget();
  const ruleId = await rule({ thresholds: [80] });
  await spend(limitId, { ada: 900 });
  await run();
  await spend(limitId, { bob: 900, ada: 50 });
  expect(await run(NOON_MS + 60_000)).toBe(0);
  expect(await run(NOON_MS + HOUR_MS)).toBe(1);
  expect(await run(NOON_MS + 2 * HOUR_MS)).toBe(0);
  const told = await alertsOf(database.pool, ruleId);
  expect(told.map(({ title }) => title)).toEqual([
    'Daily budget of each end user in Test: 1 end user at 80 %',
    'Daily budget of each end user in Test: 2 end users at 80 %',
  ]);
});

test('a thousand values raise one alert with one message, which names five', async () => {
  const destination = await createMailDestination(database.pool, tenant);
  const limitId = await budget();
  const ruleId = await rule({}, [destination]);
  const names = Array.from({ length: 1_000 }, (_, n) => `user${String(n).padStart(4, '0')}`);
  for (let from = 0; from < names.length; from += 250) {
    const some = names.slice(from, from + 250).map((name, n) => [name, 1_000 + from + n] as const);
    await spend(limitId, Object.fromEntries(some));
  }
  expect(await run()).toBe(1);
  const [alert] = await alertsOf(database.pool, ruleId);
  expect(alert?.title).toBe('Daily budget of each end user in Test: 1,000 end users at 100 %');
  expect(alert?.text.match(/user\d{4}/g)).toEqual([
    'user0999',
    'user0998',
    'user0997',
    'user0996',
    'user0995',
  ]);
  expect(alert?.text).toContain('and 995 more');
  const { rows } = await database.pool.query('SELECT status FROM alert_delivery');
  expect(rows).toEqual([{ status: 'PENDING' }]);
});

test('a new window and a lifetime have alerts of their own', async () => {
  const daily = await budget();
  const total = await budget('SESSION', { period: 'LIFETIME' });
  const ruleId = await rule({ thresholds: [100] });
  await spend(daily, { ada: 1_000 });
  await spend(total, { s1: 1_000 }, lifetime, (session) => ({ session }));
  expect(await run()).toBe(2);
  const next = windowAt({ period: 'DAILY' }, NOON_MS + 24 * HOUR_MS, 'UTC');
  await spend(daily, { ada: 1_000 }, next);
  expect(await run(NOON_MS + 24 * HOUR_MS)).toBe(1);
  expect((await alertsOf(database.pool, ruleId)).map(({ title }) => title).toSorted()).toEqual([
    'Daily budget of each end user in Test: 1 end user at 100 %',
    'Daily budget of each end user in Test: 1 end user at 100 %',
    'Lifetime budget of each session in Test: 1 session at 100 %',
  ]);
});

test('the value of a tag is named by its record, also after others', async () => {
  const limitId = await budget('TAG', { tagKey: 'project' });
  const ruleId = await rule({ thresholds: [100] });
  await spend(limitId, { blue: 1_000 }, day, (name) => ({ tags: `app:x, project:${name}` }));
  await run();
  const [alert] = await alertsOf(database.pool, ruleId);
  expect(alert).toMatchObject({
    title: 'Daily budget of each value of tag project in Test: 1 value at 100 %',
    text: expect.stringContaining('"blue" $0.000001 (100 %)') as string,
  });
});

test('a value whose record is gone is counted without its name', async () => {
  const limitId = await budget();
  const ruleId = await rule({ thresholds: [100] });
  await spend(limitId, { ada: 1_000 });
  await database.pool.query('DELETE FROM usage_record');
  await run();
  const [alert] = await alertsOf(database.pool, ruleId);
  expect(alert?.text).toContain('a value whose record was removed $0.000001 (100 %)');
});

test('quotas with a period and with seconds, and rules for some scopes', async () => {
  const values = { scopeType: 'END_USER' as const, scopeId: tenant.organisationId };
  const quota = (more = {}) =>
    createQuota(database.orm, tenant, {
      ...values,
      valueKey: randomUUID(),
      metric: 'COST',
      limitAmount: LIMIT,
      ...more,
    });
  const fixed = await quota({ period: null, windowSeconds: 7_200 });
  const daily = await quota({ period: 'DAILY', windowSeconds: null });
  const condition = { kind: 'QUOTA_USED' as const, thresholds: [100], quotaId: null };
  const all = await createRule(database.pool, tenant, { ...condition, scopeTypes: ['END_USER'] });
  const teams = await createRule(database.pool, tenant, { ...condition, scopeTypes: ['TEAM'] });
  await spend(fixed, { ada: 1_000 }, windowAt({ windowSeconds: 7_200 }, NOON_MS, 'UTC'));
  await spend(daily, { ada: 1_000 });
  expect(await run()).toBe(2);
  expect(await alertsOf(database.pool, all)).toHaveLength(2);
  expect(await alertsOf(database.pool, teams)).toEqual([]);
});

test.each(['MONTHLY', 'LIFETIME'] as const)(
  'an alert that retention has removed is not given again in its window: %s',
  async (period) => {
    const startMs = Date.now() - 3 * 24 * HOUR_MS;
    const window = period === 'LIFETIME' ? lifetime : windowAt({ period }, startMs, 'UTC');
    const limitId = await budget('END_USER', { period });
    const ruleId = await rule({ thresholds: [100] });
    await database.pool.query('UPDATE organisation SET retention_days = 1');
    await spend(limitId, { ada: 1_000 }, window);
    expect(await run(startMs)).toBe(1);
    const house = await startHousekeeping({ pool: database.pool, log, clock: systemClock });
    await house.stop();
    expect(await alertsOf(database.pool, ruleId)).toEqual([]);
    const laterMs = Math.min(startMs + HOUR_MS, window.endMs - 1);
    expect(await run(laterMs)).toBe(0);
    await spend(limitId, { bob: 1_000 }, window);
    expect(await run(laterMs)).toBe(1);
  },
);

test('what alerts told of is forgotten after the window of the limit', async () => {
  const limitId = await budget('END_USER');
  const ruleId = await rule({ thresholds: [100] });
  const ago = (days: number) =>
    windowAt({ period: 'DAILY' }, Date.now() - days * 24 * HOUR_MS, 'UTC');
  for (const window of [ago(20), ago(3)]) {
    await spend(limitId, { ada: 1_000 }, window);
    expect(await run(window.startMs)).toBe(1);
  }
  const house = await startHousekeeping({ pool: database.pool, log, clock: systemClock });
  await house.stop();
  const { rows } = await database.pool.query(
    'SELECT rule_id, window_starts_at FROM alert_told_values',
  );
  expect(rows).toEqual([{ rule_id: ruleId, window_starts_at: new Date(ago(3).startMs) }]);
});
