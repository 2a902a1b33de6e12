import type { KeyRefusals__Output } from '@tollgate/contracts/node';
import { createLogger, systemClock, uuidv7 } from '@tollgate/kit';

import { ApiKey } from '../../entities/api-key.entity';
import { Organisation } from '../../entities/organisation.entity';
import { startHousekeeping, type Database } from '../../schema';
import {
  createTenant,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { ApiKeyRefusal } from './api-key-refusal.entity';
import { addRefusals, REFUSALS_KEPT } from './key-refusals';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  tenant = await createTenant(database.orm);
});

const iso = (ms: number): string => new Date(ms).toISOString();

const refused = (values: Partial<KeyRefusals__Output> = {}): KeyRefusals__Output => ({
  organisationId: tenant.organisationId,
  apiKeyId: tenant.apiKeyId,
  code: 'model_access_denied',
  about: 'chat',
  reason: '',
  count: 1,
  firstAtMs: NOON_MS,
  lastAtMs: NOON_MS,
  requestId: uuidv7(),
  model: 'chat',
  message: 'The key may not use the model.',
  limit: null,
  detailsJson: '',
  ...values,
});

const limit = (values: object = {}): NonNullable<KeyRefusals__Output['limit']> => ({
  limitId: `${tenant.organisationId}:rpm`,
  kind: 'RATE_REQUESTS',
  metric: '',
  scopeType: 'API_KEY',
  scopeId: tenant.apiKeyId,
  limit: '5',
  settled: '4',
  held: '1',
  resetsAtMs: NOON_MS + 60_000,
  mode: 'HARD',
  period: '',
  windowSeconds: 0,
  sharedId: 0,
  remaining: '0',
  ...values,
});

const kept = () =>
  database.orm.manager.find(ApiKeyRefusal, {
    where: { apiKeyId: tenant.apiKeyId },
    order: { lastAt: 'DESC', id: 'DESC' },
  });

const add = (rows: KeyRefusals__Output[]) => addRefusals(database.pool, rows);

test('reports add up, whichever comes first, and the newest says how it was', async () => {
  const newest = refused({ count: 3, lastAtMs: NOON_MS + 9, message: 'newest', model: '' });
  expect(await add([refused(), refused({ count: 2, firstAtMs: NOON_MS - 5 })])).toBe(1);
  expect(await add([newest])).toBe(1);
  expect(await add([refused({ message: 'late', lastAtMs: NOON_MS + 1 })])).toBe(1);
  expect(await kept()).toMatchObject([
    {
      code: 'model_access_denied',
      about: 'chat',
      reason: null,
      count: 7n,
      firstAt: new Date(NOON_MS - 5),
      lastAt: new Date(NOON_MS + 9),
      lastRequestId: newest.requestId,
      lastModel: 'chat',
      message: 'newest',
      limitState: null,
    },
  ]);
});

test('the limit that refused is kept as it stood: money in dollars, everything else a count', async () => {
  const budget = { kind: 'BUDGET', metric: 'COST', period: 'MONTHLY', limit: '1000000000' };
  await add([
    refused({ about: 'r', limit: limit() }),
    refused({
      about: 'b',
      lastAtMs: NOON_MS + 1,
      limit: limit({ ...budget, settled: '900000000', held: '', resetsAtMs: 0 }),
    }),
  ]);
  expect((await kept()).map(({ limitState }) => limitState)).toEqual([
    {
      id: tenant.organisationId,
      kind: 'BUDGET',
      metric: 'COST',
      scope: { type: 'API_KEY', id: tenant.apiKeyId },
      period: 'MONTHLY',
      windowSeconds: null,
      limit: '1.00',
      spent: '0.90',
      held: '0.00',
      resetsAt: null,
    },
    {
      id: tenant.organisationId,
      kind: 'RATE_REQUESTS',
      metric: null,
      scope: { type: 'API_KEY', id: tenant.apiKeyId },
      period: null,
      windowSeconds: null,
      limit: 5,
      spent: 4,
      held: 1,
      resetsAt: iso(NOON_MS + 60_000),
    },
  ]);
});

test.each(['END_USER', 'SESSION', 'TAG'])(
  'a limit on each %s is kept as any other',
  async (scopeType) => {
    await add([
      refused({ about: 'v', limit: limit({ scopeType, scopeId: tenant.organisationId }) }),
      refused({ about: 'r', limit: limit() }),
    ]);
    const scopes = (await kept()).map(({ limitState }) => limitState?.scope.type);
    expect(new Set(scopes)).toEqual(new Set(['API_KEY', scopeType]));
  },
);

test('of one key so many are kept, the newest', async () => {
  const rows = Array.from({ length: REFUSALS_KEPT + 20 }, (_, n) =>
    refused({ about: `model ${n}`, lastAtMs: NOON_MS + n }),
  );
  await add(rows);
  const left = await kept();
  expect(left).toHaveLength(REFUSALS_KEPT);
  expect(left.at(-1)?.about).toBe('model 20');
});

test('replicas that report at once lose nothing, in whichever order', async () => {
  const rows = Array.from({ length: 60 }, (_, n) => refused({ about: `model ${n}` }));
  await Promise.all([add(rows), add(rows.toReversed()), add([...rows.slice(30), ...rows])]);
  const sums = (await kept()).map(({ count }) => Number(count));
  expect(sums.reduce((sum, one) => sum + one, 0)).toBe(60 + 60 + 90);
});

test('keys that do not exist, of another organisation, or of the playground are left out', async () => {
  const other = await createTenant(database.orm);
  expect(await add([refused({ apiKeyId: uuidv7() })])).toBe(0);
  expect(await add([refused({ organisationId: other.organisationId })])).toBe(0);
  await database.orm.manager.update(ApiKey, { id: tenant.apiKeyId }, { kind: 'PLAYGROUND' });
  expect(await add([refused()])).toBe(0);
});

test('texts that PostgreSQL cannot store are stored without what it cannot', async () => {
  await add([refused({ about: 'a\0b', model: '\0', message: 'half \ud800' })]);
  expect(await kept()).toMatchObject([{ about: 'ab', lastModel: null, message: 'half \ufffd' }]);
});

test.each([
  [{ organisationId: 'x' }, 'organisation_id'],
  [{ apiKeyId: '' }, 'api_key_id'],
  [{ requestId: '' }, 'request_id'],
  [{ code: 'No Code' }, 'code'],
  [{ count: 0 }, 'count'],
  [{ lastAtMs: 0 }, 'lastAtMs'],
  [{ message: 'x'.repeat(1_001) }, 'message'],
])('a report with %j is refused', async (values, field) => {
  await expect(add([refused(values)])).rejects.toThrow(field);
});

test('what is older than the organisation keeps records goes', async () => {
  const nowMs = Date.now();
  const { organisationId: id } = tenant;
  await database.orm.manager.update(Organisation, { id }, { retentionDays: 3 });
  await add([
    refused({ about: 'old', lastAtMs: nowMs - 4 * 86_400_000 }),
    refused({ about: 'young', lastAtMs: nowMs - 86_400_000 }),
  ]);
  const house = await startHousekeeping({
    pool: database.pool,
    log: createLogger({ service: 'catalog', level: 'error', write: () => {} }),
    clock: systemClock,
  });
  await house.stop();
  expect((await kept()).map(({ about }) => about)).toEqual(['young']);
});
