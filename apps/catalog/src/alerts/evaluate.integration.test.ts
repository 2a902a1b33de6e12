import type { rest } from '@tollgate/contracts';
import { createLogger, uuidv7 } from '@tollgate/kit';

import { Organisation } from '../entities/organisation.entity';
import type { Database } from '../schema';
import {
  createBudget,
  createQuota,
  createTenant,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../test-support';
import { evaluate, evaluateLedger, lastEvaluationMs, takeTurn } from './evaluate';
import { alertsOf, createMailDestination, createRule, setSpent } from './test-support';

let databases: TestDatabases;
let database: Database & { url: string };
let tenant: Tenant;
const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });

const DAY = { startsAt: '2026-03-10T00:00:00Z', endsAt: '2026-03-11T00:00:00Z' };
const NEXT_DAY = { startsAt: '2026-03-11T00:00:00Z', endsAt: '2026-03-12T00:00:00Z' };
const NOON = Date.parse('2026-03-10T12:00:00Z');
const USD = 1_000_000_000n;

beforeAll(async () => {
  databases = await startTestDatabases();
});
beforeEach(async () => {
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
});
afterAll(() => databases.stop());

const run = (nowMs = NOON) => evaluate({ pool: database.pool, log }, nowMs);
const used = (values = {}): rest.AlertCondition => ({
  kind: 'BUDGET_USED',
  thresholds: [50, 80, 100],
  scopeTypes: null,
  budgetId: null,
  ...values,
});
const budgetOf = (usd: bigint, values = {}) =>
  createBudget(database.orm, tenant, { limitNanoUsd: usd * USD, ...values });
const setLimit = (budgetId: string, usd: bigint) =>
  database.pool.query('UPDATE budget SET limit_nano_usd = $2 WHERE id = $1', [
    budgetId,
    (usd * USD).toString(),
  ]);
const thresholdsOf = async (ruleId: string) =>
  (await alertsOf(database.pool, ruleId)).map(({ threshold }) => threshold);
const deliveries = async () =>
  (
    await database.pool.query<{ status: string; alert_id: string }>(
      'SELECT status, alert_id FROM alert_delivery ORDER BY created_at',
    )
  ).rows;

describe('a budget', () => {
  it('raises one alert at each threshold, however often it is evaluated', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, used());
    const budget = await budgetOf(100n);
    const seen: number[][] = [];
    for (const spent of [49n, 50n, 55n, 80n, 99n, 100n, 140n]) {
      await setSpent(pool, budget, DAY, spent * USD);
      await run();
      await run();
      seen.push(await thresholdsOf(rule));
    }
    expect(seen).toEqual([[], [50], [50], [50, 80], [50, 80], [50, 80, 100], [50, 80, 100]]);
    const [first] = await alertsOf(pool, rule);
    expect(first).toMatchObject({
      organisation_id: tenant.organisationId,
      subject_id: budget,
      title: 'Daily budget of organisation Test is used to 50 %',
      text: '$50.00 of $100.00 are used (50 %; the alert is for 50 %). The window ends at 2026-03-11 00:00 UTC.',
    });
  });

  it('that jumps over three thresholds raises one alert, of the highest', async () => {
    const destination = await createMailDestination(database.pool, tenant);
    const rule = await createRule(database.pool, tenant, used(), [destination]);
    await setSpent(database.pool, await budgetOf(100n), DAY, 250n * USD);
    expect(await run()).toEqual(new Map([['BUDGET_USED', 1]]));
    expect(await run()).toEqual(new Map());
    expect(await thresholdsOf(rule)).toEqual([100]);
    expect(await deliveries()).toMatchObject([{ status: 'PENDING' }]);
  });

  it('evaluated by many catalogs at once raises one alert with one message', async () => {
    const destination = await createMailDestination(database.pool, tenant);
    const rule = await createRule(database.pool, tenant, used(), [destination]);
    await setSpent(database.pool, await budgetOf(100n), DAY, 90n * USD);
    const counts = await Promise.all(Array.from({ length: 4 }, () => run()));
    expect(counts.reduce((sum, raised) => sum + (raised.get('BUDGET_USED') ?? 0), 0)).toBe(1);
    expect(await thresholdsOf(rule)).toEqual([80]);
    expect(await deliveries()).toHaveLength(1);
  });

  it('raises alerts again in the next window', async () => {
    const rule = await createRule(database.pool, tenant, used());
    const budget = await budgetOf(100n);
    await setSpent(database.pool, budget, DAY, 60n * USD);
    await run();
    await setSpent(database.pool, budget, NEXT_DAY, 10n * USD);
    await run(NOON + 86_400_000);
    expect(await thresholdsOf(rule)).toEqual([50]);
    await setSpent(database.pool, budget, NEXT_DAY, 60n * USD);
    await run(NOON + 86_400_000);
    expect(await thresholdsOf(rule)).toEqual([50, 50]);
  });

  it('booked shortly after its window ended still raises the alert of that window', async () => {
    const rule = await createRule(database.pool, tenant, used());
    await setSpent(database.pool, await budgetOf(100n), DAY, 60n * USD);
    await run(Date.parse(DAY.endsAt) + 600_000);
    expect(await thresholdsOf(rule)).toEqual([]);
    await run(Date.parse(DAY.endsAt) + 60_000);
    expect(await thresholdsOf(rule)).toEqual([50]);
  });

  it('of a raised limit alerts again only at what it crosses of the new limit', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, used());
    const budget = await budgetOf(100n);
    await setSpent(pool, budget, DAY, 85n * USD);
    await run();
    // 85 of 105 is 81 %, and so was what the alert has told.
    await setLimit(budget, 105n);
    await run();
    expect(await thresholdsOf(rule)).toEqual([80]);
    await setLimit(budget, 200n);
    await run();
    expect(await thresholdsOf(rule)).toEqual([80]);
    await setSpent(pool, budget, DAY, 165n * USD);
    await run();
    await run();
    const told = await alertsOf(pool, rule);
    expect(told.map(({ threshold, limit_amount }) => [threshold, limit_amount])).toEqual([
      [80, 100n * USD],
      [80, 200n * USD],
    ]);
  });

  it('of a lowered limit, and one that a correction lowered, alert once', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, used());
    const budget = await budgetOf(100n);
    await setSpent(pool, budget, DAY, 55n * USD);
    await run();
    await setLimit(budget, 60n);
    await run();
    expect(await thresholdsOf(rule)).toEqual([50, 80]);
    await setSpent(pool, budget, DAY, 20n * USD);
    await run();
    await setSpent(pool, budget, DAY, 52n * USD);
    await run();
    expect(await thresholdsOf(rule)).toEqual([50, 80]);
  });

  it('is told of by rules of its scope, or of itself, and not when nothing may be alerted', async () => {
    const { pool } = database;
    const budget = await budgetOf(100n);
    const other = await budgetOf(100n, { scopeType: 'TEAM', scopeId: tenant.teamId });
    const off = await budgetOf(100n, { status: 'DISABLED' });
    const zero = await budgetOf(0n);
    for (const id of [budget, other, off, zero]) await setSpent(pool, id, DAY, 60n * USD);
    const teams = await createRule(pool, tenant, used({ scopeTypes: ['TEAM'] }));
    const one = await createRule(pool, tenant, used({ budgetId: budget }));
    const all = await createRule(pool, tenant, used());
    const disabled = await createRule(pool, tenant, used());
    await pool.query(`UPDATE alert_rule SET status = 'DISABLED' WHERE id = $1`, [disabled]);
    await run();
    const subjectsOf = async (rule: string) =>
      (await alertsOf(pool, rule)).map(({ subject_id }) => subject_id).toSorted();
    expect(await subjectsOf(teams)).toEqual([other]);
    expect(await subjectsOf(one)).toEqual([budget]);
    expect(await subjectsOf(all)).toEqual([budget, other].toSorted());
    expect(await subjectsOf(disabled)).toEqual([]);
  });

  it('of another organisation, or of a suspended one, raises nothing', async () => {
    const { orm, pool } = database;
    const rival = await createTenant(orm);
    const rule = await createRule(pool, rival, used());
    const own = await createRule(pool, tenant, used());
    await setSpent(pool, await budgetOf(100n), DAY, 60n * USD);
    await orm.manager.update(Organisation, { id: tenant.organisationId }, { status: 'SUSPENDED' });
    await run();
    expect(await thresholdsOf(own)).toEqual([]);
    await orm.manager.update(Organisation, { id: tenant.organisationId }, { status: 'ACTIVE' });
    await run();
    expect([await thresholdsOf(own), await thresholdsOf(rule)]).toEqual([[50], []]);
  });

  it('follows the time zone of its organisation', async () => {
    const { orm, pool } = database;
    await orm.manager.update(
      Organisation,
      { id: tenant.organisationId },
      { timeZone: 'Asia/Kolkata' },
    );
    const rule = await createRule(pool, tenant, used());
    const budget = await budgetOf(100n);
    await setSpent(pool, budget, DAY, 60n * USD);
    await run();
    expect(await thresholdsOf(rule)).toEqual([]);
    const span = { startsAt: '2026-03-09T18:30:00Z', endsAt: '2026-03-10T18:30:00Z' };
    await setSpent(pool, budget, span, 60n * USD);
    await run();
    expect(await thresholdsOf(rule)).toEqual([50]);
  });
});

describe('a forecast', () => {
  const forecast = { kind: 'BUDGET_FORECAST', scopeTypes: null, budgetId: null } as const;

  it('says that a budget will be spent before its window ends, once for each limit', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, forecast);
    const budget = await budgetOf(100n);
    await setSpent(pool, budget, DAY, 49n * USD);
    await run();
    expect(await thresholdsOf(rule)).toEqual([]);
    for (const spent of [51n, 49n, 60n]) {
      await setSpent(pool, budget, DAY, spent * USD);
      await run();
    }
    const [told, ...others] = await alertsOf(pool, rule);
    expect(others).toEqual([]);
    expect(told).toMatchObject({
      threshold: 100,
      value: 102n * USD,
      title: 'Daily budget of organisation Test will be spent before its window ends',
    });
    await setLimit(budget, 110n);
    await run();
    expect(await thresholdsOf(rule)).toEqual([100, 100]);
  });

  it('is silent early in a window, and about a budget that is spent already', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, forecast);
    const early = await budgetOf(100n);
    await setSpent(pool, early, DAY, 50n * USD);
    await run(Date.parse(DAY.startsAt) + 3_600_000);
    await setSpent(pool, early, DAY, 100n * USD);
    await run();
    expect(await thresholdsOf(rule)).toEqual([]);
  });
});

it('a quota alerts in a calendar period and in a window of seconds', async () => {
  const { orm, pool } = database;
  const rule = await createRule(pool, tenant, {
    kind: 'QUOTA_USED',
    thresholds: [80],
    scopeTypes: null,
    quotaId: null,
  });
  const seconds = await createQuota(orm, tenant, { windowSeconds: 7_200, limitAmount: 10n });
  const daily = await createQuota(orm, tenant, {
    windowSeconds: null,
    period: 'DAILY',
    metric: 'COST',
    limitAmount: 10n * USD,
  });
  const setUsed = (id: string, startsAt: string, endsAt: string, amount: bigint) =>
    pool.query(
      `INSERT INTO quota_window (quota_id, organisation_id, starts_at, ends_at, used)
       VALUES ($1, $2, $3, $4, $5)`,
      [id, tenant.organisationId, startsAt, endsAt, amount.toString()],
    );
  await setUsed(seconds, '2026-03-10T12:00:00Z', '2026-03-10T14:00:00Z', 9n);
  await setUsed(seconds, '2026-03-10T10:00:00Z', '2026-03-10T12:00:00Z', 7n);
  await setUsed(daily, DAY.startsAt, DAY.endsAt, 8n * USD);
  await run(NOON + 60_000);
  const texts = (await alertsOf(pool, rule)).map(({ text }) => text).toSorted();
  expect(texts).toEqual([
    '$8.00 of $10.00 are used (80 %; the alert is for 80 %). The window ends at 2026-03-11 00:00 UTC.',
    '9 requests of 10 requests are used (90 %; the alert is for 80 %). The window ends at 2026-03-10 14:00 UTC.',
  ]);
});

describe('traffic', () => {
  const refused = (code: string, count: number, hour: string, values: object = {}) =>
    database.pool.query(
      `INSERT INTO refused_request (id, hour, cause, organisation_id, api_key_id, key_print, code,
         limit_id, model, provider_id, other, count, first_at, last_at, last_request_id)
       VALUES ($1::uuid, $2::timestamptz, $1::uuid::text, $3, $4, '', $5, '', '', $6, false, $7, $2::timestamptz, $2::timestamptz, $1::uuid)`,
      [
        uuidv7(),
        hour,
        tenant.organisationId,
        'providerId' in values ? null : tenant.apiKeyId,
        code,
        'providerId' in values ? values.providerId : null,
        count,
      ],
    );
  const booked = (requests: number, errors: number, hour = '2026-03-10T12:00:00Z') =>
    database.pool.query(
      `INSERT INTO usage (id, organisation_id, api_key_id, model_id, provider_id, hour, requests,
         errors) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        uuidv7(),
        tenant.organisationId,
        tenant.apiKeyId,
        tenant.modelId,
        tenant.providerId,
        hour,
        requests,
        errors,
      ],
    );

  it('refused requests alert once an hour for each key, or for the organisation', async () => {
    const { pool } = database;
    const byKey = await createRule(pool, tenant, {
      kind: 'REQUESTS_REFUSED',
      requests: 20,
      per: 'API_KEY',
      span: 'HOUR',
    });
    const byDay = await createRule(pool, tenant, {
      kind: 'REQUESTS_REFUSED',
      requests: 30,
      per: 'ORGANISATION',
      span: 'DAY',
    });
    await refused('budget_exceeded', 12, '2026-03-10T12:00:00Z');
    await refused('quota_exceeded', 7, '2026-03-10T12:00:00Z');
    await refused('upstream_error', 90, '2026-03-10T12:00:00Z');
    await run();
    expect(await alertsOf(pool, byKey)).toEqual([]);
    await refused('model_not_found', 1, '2026-03-10T12:00:00Z');
    await run();
    await refused('model_not_found', 50, '2026-03-10T12:00:00Z');
    await run();
    expect(await alertsOf(pool, byKey)).toMatchObject([
      { subject_id: tenant.apiKeyId, value: 20n, title: '20 requests of a key are refused' },
    ]);
    expect(await alertsOf(pool, byDay)).toMatchObject([
      { subject_id: tenant.organisationId, value: 70n },
    ]);
    await refused('budget_exceeded', 20, '2026-03-10T13:00:00Z');
    await run(NOON + 3_600_000);
    expect(await alertsOf(pool, byKey)).toHaveLength(2);
    expect(await alertsOf(pool, byDay)).toHaveLength(1);
  });

  it('a provider that refuses its key alerts once a day', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, { kind: 'PROVIDER_KEY_REFUSED', span: 'DAY' });
    await refused('provider_auth_failed', 1, '2026-03-10T03:00:00Z', {
      providerId: tenant.providerId,
    });
    await run();
    await run();
    expect(await alertsOf(pool, rule)).toMatchObject([
      { subject_id: tenant.providerId, title: 'Upstream refuses its API key' },
    ]);
  });

  it('a provider alerts from its error rate on, and not with few requests', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, {
      kind: 'PROVIDER_ERRORS',
      percent: 20,
      minimumRequests: 10,
      span: 'HOUR',
    });
    await refused('upstream_error', 2, '2026-03-10T12:00:00Z', { providerId: tenant.providerId });
    await booked(7, 0);
    await run();
    expect(await alertsOf(pool, rule)).toEqual([]);
    // Its two failures are booked as well, and count once: 2 of 10.
    await booked(3, 2);
    await run();
    expect(await alertsOf(pool, rule)).toMatchObject([
      { value: 20n, text: expect.stringContaining('20 % of 10 requests') as unknown },
    ]);
  });

  it('a model without a price alerts when it has traffic', async () => {
    const { pool } = database;
    const rule = await createRule(pool, tenant, { kind: 'UNPRICED_MODEL', span: 'DAY' });
    await booked(5, 0);
    await run();
    expect(await alertsOf(pool, rule)).toEqual([]);
    await pool.query('DELETE FROM price WHERE model_id = $1', [tenant.modelId]);
    await run();
    await run();
    expect(await alertsOf(pool, rule)).toMatchObject([
      { subject_id: tenant.modelId, title: 'Model model-one has no price' },
    ]);
  });
});

it('the platform hears of the ledger, and an organisation’s rule never does', async () => {
  const { pool } = database;
  const platform = { organisationId: null };
  const lag = await createRule(pool, platform, { kind: 'LEDGER_LAG', seconds: 60, span: 'HOUR' });
  const quarantine = await createRule(pool, platform, {
    kind: 'LEDGER_QUARANTINE',
    entries: 1,
    span: 'DAY',
  });
  const own = await createRule(pool, tenant, { kind: 'LEDGER_LAG', seconds: 60, span: 'HOUR' });
  expect(await evaluateLedger({ pool }, 59.9, NOON)).toBe(0);
  expect(await evaluateLedger({ pool }, 61, NOON)).toBe(1);
  expect(await evaluateLedger({ pool }, 90, NOON)).toBe(0);
  await pool.query(
    `INSERT INTO ledger_quarantine (id, shard, epoch, seq, reason, entry) VALUES ($1, 0, 0, 1, 'x', '{}')`,
    [uuidv7()],
  );
  expect(await evaluateLedger({ pool }, 0, NOON)).toBe(1);
  expect(await alertsOf(pool, lag)).toMatchObject([{ organisation_id: null, value: 61n }]);
  expect(await alertsOf(pool, quarantine)).toHaveLength(1);
  expect(await alertsOf(pool, own)).toEqual([]);
});

it('a destination gets a bounded number of messages in an hour; the alerts are in the log', async () => {
  const { pool } = database;
  const destination = await createMailDestination(pool, tenant);
  const rule = await createRule(pool, tenant, used(), [destination]);
  await pool.query(
    `INSERT INTO budget (id, organisation_id, scope_type, scope_id, period, limit_nano_usd)
     SELECT gen_random_uuid(), $1, 'ORGANISATION', $1, 'DAILY', 100 FROM generate_series(1, 450)`,
    [tenant.organisationId],
  );
  await pool.query(
    `INSERT INTO budget_window (budget_id, organisation_id, starts_at, ends_at, spent_nano_usd)
     SELECT id, organisation_id, $1, $2, 60 FROM budget`,
    [DAY.startsAt, DAY.endsAt],
  );
  expect(await run()).toEqual(new Map([['BUDGET_USED', 450]]));
  expect(await alertsOf(pool, rule)).toHaveLength(450);
  const statuses = Map.groupBy(await deliveries(), ({ status }) => status);
  expect(statuses.get('PENDING')).toHaveLength(100);
  expect(statuses.get('SUPPRESSED')).toHaveLength(350);
});

it('catalogs take turns: one evaluation in an interval', async () => {
  const { pool } = database;
  expect(await lastEvaluationMs(pool)).toBeUndefined();
  const turns = await Promise.all(Array.from({ length: 4 }, () => takeTurn(pool, 60_000, NOON)));
  expect(turns.filter(Boolean)).toHaveLength(1);
  expect(await takeTurn(pool, 60_000, NOON + 59_999)).toBe(false);
  expect(await takeTurn(pool, 60_000, NOON + 60_000)).toBe(true);
  expect(await lastEvaluationMs(pool)).toBe(NOON + 60_000);
  // A clock that was an hour ahead does not stop the evaluation.
  expect(await takeTurn(pool, 60_000, NOON + 3_600_000)).toBe(true);
  expect(await takeTurn(pool, 60_000, NOON + 120_000)).toBe(true);
});
