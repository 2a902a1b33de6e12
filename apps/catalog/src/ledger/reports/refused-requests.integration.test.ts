import { createHash } from 'node:crypto';
import type { RefusedSum__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { ApiKey } from '../../entities/api-key.entity';
import type { Database } from '../../schema';
import {
  createTenant,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { RefusedRequest } from './refused-request.entity';
import { addRefusedRequests, CAUSES_KEPT } from './refused-requests';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
let keySha256: Buffer;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
  const key = await database.orm.manager.findOneByOrFail(ApiKey, { id: tenant.apiKeyId });
  ({ keySha256 } = key);
});

const refused = (values: Partial<RefusedSum__Output> = {}): RefusedSum__Output => ({
  code: 'budget_exceeded',
  keySha256,
  model: 'chat',
  providerId: '',
  limitId: '',
  count: 1,
  firstAtMs: NOON_MS,
  lastAtMs: NOON_MS,
  requestId: uuidv7(),
  detailsJson: '',
  other: false,
  ...values,
});

const add = (sums: RefusedSum__Output[]) => addRefusedRequests(database.pool, sums);
const kept = () => database.orm.manager.find(RefusedRequest, { order: { count: 'DESC' } });
const total = async (): Promise<bigint> =>
  (await kept()).reduce((sum, { count }) => sum + count, 0n);
const unknownKey = (number: number) => createHash('sha256').update(`key ${number}`).digest();

test('sums add up by hour and cause, and the newest tells the limit and the need', async () => {
  const limit = {
    id: tenant.organisationId,
    kind: 'BUDGET',
    metric: 'COST',
    scope: { type: 'API_KEY', id: tenant.apiKeyId },
    period: 'DAILY',
    limit: '1',
    spent: '0.9',
    held: '0.05',
    requested: '0.06',
  };
  const need = { inputTokens: 7, outputTokens: 4096, outputBound: 'ASSUMED' };
  const detailsJson = JSON.stringify({ limit, need, alsoExceeded: [] });
  const newest = refused({ count: 3, lastAtMs: NOON_MS + 9, detailsJson });
  await add([refused(), refused({ count: 2, firstAtMs: NOON_MS - 5 })]);
  await add([newest]);
  await add([refused({ lastAtMs: NOON_MS + 3_600_000, firstAtMs: NOON_MS + 3_600_000 })]);
  expect(await kept()).toMatchObject([
    {
      count: 6n,
      organisationId: tenant.organisationId,
      apiKeyId: tenant.apiKeyId,
      keyPrint: '',
      firstAt: new Date(NOON_MS - 5),
      lastAt: new Date(NOON_MS + 9),
      lastRequestId: newest.requestId,
      limitState: { id: tenant.organisationId, spent: '0.9', held: '0.05' },
      need: {
        requested: '0.06',
        inputTokens: 7,
        outputTokens: 4096,
        outputAssumed: true,
        outputExpected: false,
      },
    },
    { count: 1n },
  ]);
});

test('an unknown key is kept by the start of its hash, without an organisation', async () => {
  await add([refused({ keySha256: unknownKey(1), code: 'invalid_api_key' })]);
  expect(await kept()).toMatchObject([
    {
      organisationId: null,
      apiKeyId: null,
      keyPrint: unknownKey(1).toString('hex').slice(0, 10),
    },
  ]);
});

test('a flood of unknown keys leaves a bounded number of rows, the frequent one and the sum', async () => {
  const frequent = refused({ keySha256: unknownKey(-1), code: 'invalid_api_key', count: 40 });
  await add([frequent]);
  let number = 0;
  for (let report = 0; report < 6; report += 1) {
    await add(
      Array.from({ length: 400 }, () => {
        number += 1;
        return refused({ keySha256: unknownKey(number), code: 'invalid_api_key' });
      }),
    );
  }
  const rows = await kept();
  expect(rows.filter(({ other }) => !other)).toHaveLength(CAUSES_KEPT);
  expect(rows.filter(({ other }) => other)).toHaveLength(1);
  expect(rows.map(({ keyPrint }) => keyPrint)).toContain(
    unknownKey(-1).toString('hex').slice(0, 10),
  );
  expect(await total()).toBe(2_440n);
});

test('an organisation that is refused for many causes keeps a bounded number of rows', async () => {
  await add([refused({ keySha256: unknownKey(1), code: 'invalid_api_key' })]);
  for (let report = 0; report < 2; report += 1) {
    await add(Array.from({ length: 400 }, (_, at) => refused({ model: `model ${report} ${at}` })));
  }
  expect((await kept()).length).toBe(CAUSES_KEPT + 2);
  expect(await total()).toBe(801n);
});

test.each([
  ['code', { code: 'NOT A CODE' }],
  ['key_sha256', { keySha256: Buffer.alloc(5) }],
  ['request_id', { requestId: 'x' }],
  ['count', { count: 0 }],
  ['lastAtMs', { lastAtMs: -1 }],
])('a report with a wrong %s is refused', async (field, values) => {
  await expect(add([refused(values)])).rejects.toThrow(new RegExp(`${field} cannot be stored`));
});
