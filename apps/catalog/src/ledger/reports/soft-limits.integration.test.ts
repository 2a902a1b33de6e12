import type { SoftLimitPassed__Output } from '@tollgate/contracts/node';
import { createLogger, systemClock, uuidv7 } from '@tollgate/kit';

import { AuditEvent } from '../../audit/audit-event.entity';
import { startHousekeeping, type Database } from '../../schema';
import {
  createBudget,
  createTenant,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { reportSoftLimits } from './soft-limits';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
let limitId: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  tenant = await createTenant(database.orm);
  limitId = await createBudget(database.orm, tenant, { mode: 'SOFT' });
});

const HOUR_MS = 3_600_000;

const passed = (values: Partial<SoftLimitPassed__Output> = {}): SoftLimitPassed__Output => ({
  organisationId: tenant.organisationId,
  limitId,
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

const events = () =>
  database.orm.manager.find(AuditEvent, {
    where: { organisationId: tenant.organisationId },
    order: { id: 'ASC' },
  });

const LIFETIME = { windowStartMs: 0, windowEndMs: 253_402_300_799_000 };
const valueOf = (n: number): string => `${limitId}~s${String(n).padStart(22, '0')}`;

test('each value of a limit is told once, and its limit is the target', async () => {
  const value = (n: number) => passed({ scopeType: 'SESSION', limitId: valueOf(n), ...LIFETIME });
  expect(await reportSoftLimits(database.pool, [value(1), value(2)])).toBe(2);
  expect(await reportSoftLimits(database.pool, [value(2), value(3)])).toBe(1);
  expect((await events()).map(({ targetId }) => targetId)).toEqual([limitId, limitId, limitId]);
});

test('the trail names the request, and never the value', async () => {
  const requestId = uuidv7();
  await reportSoftLimits(database.pool, [
    passed({ scopeType: 'SESSION', limitId: valueOf(1), requestId }),
    passed(),
  ]);
  const told = (await events()).map(({ details }) => (details as { after: object }).after);
  expect(told).toMatchObject([{ requestId: null }, { requestId }]);
  expect(JSON.stringify(told)).not.toContain('~s');
});

test('a limit tells of twenty values in an hour, and other limits go on', async () => {
  const values = Array.from({ length: 30 }, (_, n) =>
    passed({ scopeType: 'SESSION', limitId: valueOf(n), ...LIFETIME }),
  );
  expect(await reportSoftLimits(database.pool, values)).toBe(20);
  const later = [passed(), passed({ scopeType: 'SESSION', limitId: valueOf(99), ...LIFETIME })];
  expect(await reportSoftLimits(database.pool, later)).toBe(1);
  await database.pool.query(
    `UPDATE soft_limit_event SET created_at = created_at - interval '2 hours'`,
  );
  expect(await reportSoftLimits(database.pool, later)).toBe(1);
});

test.each(['END_USER', 'SESSION', 'TAG'])(
  'a soft limit on each %s is reported, beside others',
  async (scopeType) => {
    const other = await createBudget(database.orm, tenant, { mode: 'SOFT' });
    const batch = [passed({ scopeType }), passed({ limitId: other })];
    expect(await reportSoftLimits(database.pool, batch)).toBe(2);
  },
);

test('a soft limit that is passed makes one audit event that says how it stood', async () => {
  expect(await reportSoftLimits(database.pool, [passed()])).toBe(1);
  expect(await reportSoftLimits(database.pool, [passed({ settled: '5' })])).toBe(0);
  expect(await events()).toMatchObject([
    {
      actorKind: 'SYSTEM',
      action: 'limit.soft_exceeded',
      targetType: 'budget',
      targetId: limitId,
      details: {
        after: {
          windowStart: '2026-11-18T12:30:00.000Z',
          windowEnd: '2026-11-18T13:30:00.000Z',
          limit: '1.00',
          settled: '0.90',
          held: '0.20',
          scope: { type: 'ORGANISATION', id: tenant.organisationId },
        },
      },
    },
  ]);
});

test('replicas that report the same at once make one event of each, in whichever order', async () => {
  const all = Array.from({ length: 8 }, (_, n) => passed({ limitId: uuidv7(), limit: String(n) }));
  const noted = await Promise.all([
    reportSoftLimits(database.pool, all),
    reportSoftLimits(database.pool, all.toReversed()),
    reportSoftLimits(database.pool, [...all.slice(4), ...all.slice(0, 4), ...all]),
  ]);
  expect(noted.reduce((a, b) => a + b, 0)).toBe(8);
  expect(await events()).toHaveLength(8);
});

test('the next window is news again, and so is another part of a rate limit', async () => {
  const later = passed({ windowStartMs: NOON_MS + HOUR_MS, windowEndMs: NOON_MS + 2 * HOUR_MS });
  const rate = { kind: 'RATE_REQUESTS', metric: '', limit: '60', settled: '60', held: '1' };
  const parts = [':rpm', ':tpm'].map((part) => passed({ ...rate, limitId: `${limitId}${part}` }));
  expect(await reportSoftLimits(database.pool, [passed(), later, ...parts])).toBe(4);
  const [, , one] = await events();
  expect(one).toMatchObject({
    targetType: 'rate-limit',
    targetId: limitId,
    details: { after: { limit: 60, settled: 60, held: 1, metric: null } },
  });
});

test.each([
  [{ limitId: 'x' }, 'limit_id'],
  [{ organisationId: '' }, 'organisation_id'],
  [{ kind: 'WISH' }, 'kind'],
  [{ requestId: 'x' }, 'request_id'],
  [{ scopeType: '' }, 'scope_type'],
  [{ windowEndMs: NOON_MS }, 'window'],
  [{ windowStartMs: Number.NaN }, 'window'],
  [{ held: '' }, 'amount'],
])('a report with %j is refused', async (values, field) => {
  await expect(reportSoftLimits(database.pool, [passed(values)])).rejects.toThrow(
    `${field} cannot be stored`,
  );
  expect(await events()).toEqual([]);
});

test('windows long over are forgotten, the trail is not', async () => {
  const now = Date.now();
  const old = passed({ windowStartMs: 1, windowEndMs: now - 8 * 24 * HOUR_MS });
  const fresh = passed({ windowStartMs: 2, windowEndMs: now - 6 * 24 * HOUR_MS });
  await reportSoftLimits(database.pool, [old, fresh]);
  const log = createLogger({ service: 'catalog', level: 'error', write: () => {} });
  const house = await startHousekeeping({ pool: database.pool, log, clock: systemClock });
  await house.stop();
  const { rows } = await database.pool.query(
    'SELECT window_starts_at FROM soft_limit_event WHERE organisation_id = $1',
    [tenant.organisationId],
  );
  expect(rows).toEqual([{ window_starts_at: new Date(2) }]);
  expect(await events()).toHaveLength(2);
});
