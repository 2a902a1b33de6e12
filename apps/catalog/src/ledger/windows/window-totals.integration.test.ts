import { shardOf, windowAt } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { inTransaction } from '../../db';
import { type Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createQuota,
  createTenant,
  entryOf,
  NOON_MS,
  scopesOf,
  startTestDatabases,
  until,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { advanceEpoch, getShards, lockShard } from '../records/shards';
import { BudgetWindow } from './budget-window.entity';
import { windowTotals } from './window-totals';

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

const day = windowAt({ period: 'DAILY' }, NOON_MS, 'UTC');
const ask = (limitIds: readonly string[], organisationId = tenant.organisationId) =>
  windowTotals(database.pool, {
    shard: shardOf(organisationId),
    organisationId,
    windows: limitIds.map((limitId) => ({
      limitId,
      windowStartMs: day.startMs,
      windowEndMs: day.endMs,
    })),
  });

test('totals come with the position and revision they are of', async () => {
  const id = await createBudget(database.orm, tenant);
  await appendNext(database.pool, tenant, [entryOf(tenant), entryOf(tenant)]);
  const { state, totals } = await ask([id]);
  const [shard] = await getShards(database.pool, [shardOf(tenant.organisationId)]);
  expect(state).toEqual(shard);
  expect(totals).toEqual([
    {
      limitId: id,
      windowStartMs: day.startMs,
      settled: '2000',
      limitFound: true,
      metric: 'COST',
      scopeType: 'ORGANISATION',
      scopeId: tenant.organisationId,
    },
  ]);
});

test('a window without a row is summed up from the records of every scope', async () => {
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  const ids: string[] = [];
  for (const scope of scopesOf(tenant)) {
    ids.push(await createBudget(database.orm, tenant, scope));
    ids.push(await createQuota(database.orm, tenant, { ...scope, metric: 'TOKENS' }));
  }
  const { totals } = await ask(ids);
  expect(totals?.map((total) => total.settled)).toEqual(ids.map((_, i) => (i % 2 ? '16' : '1000')));
});

test('a window that nobody has used is zero, and is counted on from there', async () => {
  const id = await createBudget(database.orm, tenant);
  expect((await ask([id])).totals?.[0]?.settled).toBe('0');
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  expect((await ask([id])).totals?.[0]?.settled).toBe('1000');
});

test('a limit that is gone, is another organisation’s or never was is not found', async () => {
  const other = await createTenant(database.orm);
  const foreign = await createBudget(database.orm, other);
  const { totals } = await ask([uuidv7(), foreign, 'no-id']);
  expect(totals?.map((total) => total.limitFound)).toEqual([false, false, false]);
  expect(await database.orm.manager.countBy(BudgetWindow, { budgetId: foreign })).toBe(0);
});

test('the organisation must be of the shard', async () => {
  await expect(
    windowTotals(database.pool, {
      shard: (shardOf(tenant.organisationId) + 1) % 256,
      organisationId: tenant.organisationId,
      windows: [],
    }),
  ).rejects.toThrow(RangeError);
});

test('a new window waits for the batch that is being booked', async () => {
  const id = await createBudget(database.orm, tenant);
  const shard = shardOf(tenant.organisationId);
  let asked: ReturnType<typeof ask> | undefined;
  await inTransaction(database.pool, async (tx) => {
    await lockShard(tx, shard);
    asked = ask([id]);
    await until(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rowCount === 1;
    });
    await tx.query('UPDATE ledger_shard SET rev = rev + 1 WHERE id = $1', [shard]);
  });
  const [after] = await getShards(database.pool, [shard]);
  expect((await asked)?.state).toEqual(after);
});

test('an epoch is granted once to the caller that knows the present one', async () => {
  const shard = shardOf(tenant.organisationId);
  const request = { shard, fromEpoch: 0, reason: 'the counters were lost' };
  const states = await Promise.all([1, 2, 3].map(() => advanceEpoch(database.pool, request)));
  expect(states.map((state) => state.epoch)).toEqual([1, 1, 1]);
  const { rows } = await database.pool.query(
    `SELECT details FROM audit_event WHERE action = 'ledger.advance-epoch' AND target_id = $1`,
    [String(shard)],
  );
  expect(rows).toEqual([{ details: { epoch: '1', reason: 'the counters were lost' } }]);
});

test('all shards are there from the start', async () => {
  const shards = await getShards(database.pool, []);
  expect(shards.map((shard) => shard.shard)).toEqual(Array.from({ length: 256 }, (_, id) => id));
});
