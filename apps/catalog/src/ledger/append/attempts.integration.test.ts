import { emptyUsage } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import type { Database } from '../../schema';
import {
  appendNext,
  createTenant,
  entryOf,
  NOON_MS,
  startTestDatabases,
  type TestDatabases,
} from '../../test-support';
import { UsageRecord } from '../records/usage-record.entity';

type Attempt = NonNullable<Entry__Output['settle']>['attempts'][number];

let databases: TestDatabases;
let database: Database;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());

test('a record keeps of each attempt its tokens, its price and whether it was a hedge', async () => {
  const tenant = await createTenant(database.orm);
  const priceId = uuidv7();
  const usage = { ...emptyUsage(), input: 7, cacheRead: 2, output: 5, reasoning: 1 };
  const answered: Attempt = {
    modelId: tenant.modelId,
    providerId: uuidv7(),
    connectionVersion: 1,
    outcome: 'OK',
    startedAtMs: NOON_MS,
    latencyMs: 40,
    firstTokenMs: 10,
    httpStatus: 200,
    usage,
    costNanoUsd: '120',
    upstreamRequestId: 'up-2',
    upstreamModel: 'up',
    priceId,
    hedge: true,
    message: '',
    region: 'eu',
    uncachedCostNanoUsd: '150',
    serviceTier: '',
  };
  const failed: Attempt = {
    ...answered,
    outcome: 'NETWORK',
    usage: null,
    costNanoUsd: '',
    priceId: '',
    hedge: false,
    message: `refused\0${'x'.repeat(400)}`,
  };
  const requestId = uuidv7();
  const settle = { attempts: [failed, answered] };
  await appendNext(database.pool, tenant, [entryOf(tenant, { requestId, settle })]);
  const { attempts } = await database.orm.manager.findOneByOrFail(UsageRecord, { id: requestId });
  expect(attempts).toMatchObject([
    {
      outcome: 'NETWORK',
      usage: emptyUsage(),
      costNanoUsd: '',
      priceId: '',
      hedge: false,
      message: `refused${'x'.repeat(293)}`,
    },
    { outcome: 'OK', usage, costNanoUsd: '120', uncachedCostNanoUsd: '150', priceId, hedge: true },
  ]);
});
