import { shardOf } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { dropEmptyPartitions, ensurePartitions, type Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createMcpServer,
  createTenant,
  entryOf,
  mcpEntryOf,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { verifyLedger } from '../verify/verify';
import { windowTotals } from '../windows/window-totals';
import { enforceRetention } from './retention';

const DAY_MS = 86_400_000;
const NOW = { now: () => NOON_MS };

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
});

async function book(daysAgo: readonly number[]): Promise<void> {
  const entries = daysAgo.map((days) => {
    const authorisedAtMs = NOON_MS - days * DAY_MS;
    return entryOf(tenant, { requestId: uuidv7(authorisedAtMs), authorisedAtMs });
  });
  await appendNext(database.pool, tenant, entries);
}

const keep = (days: number) =>
  database.pool.query('UPDATE organisation SET retention_days = $2 WHERE id = $1', [
    tenant.organisationId,
    days,
  ]);

const countOf = async (table: string): Promise<number> =>
  (await database.pool.query(`SELECT FROM ${table}`)).rowCount ?? 0;

test('records past retention go, and the books add up as before', async () => {
  const other = await createTenant(database.orm);
  await createBudget(database.orm, tenant, { period: 'MONTHLY' });
  await book([0, 5, 9, 10, 40, 41, 70]);
  await appendNext(database.pool, other, [
    entryOf(other, { authorisedAtMs: NOON_MS - 70 * DAY_MS }),
  ]);
  const before = await verifyLedger(database.pool);
  await keep(10);
  expect(await enforceRetention(database.pool, NOW, { batch: 2 })).toMatchObject([
    { organisationId: tenant.organisationId, records: 3 },
  ]);
  expect(await countOf('usage_record')).toBe(5);
  const after = await verifyLedger(database.pool);
  expect(after).toMatchObject({ ok: true, windowBreaches: [], rollupBreaches: [] });
  expect(after.organisations).toEqual(before.organisations);
  expect(await enforceRetention(database.pool, NOW)).toEqual([]);
});

test('a removal is written to the trail', async () => {
  await book([0, 40]);
  await keep(30);
  await enforceRetention(database.pool, NOW);
  const { rows } = await database.pool.query(
    `SELECT actor_kind, target_id, details FROM audit_event WHERE action = 'usage.remove-expired'`,
  );
  expect(rows).toEqual([
    {
      actor_kind: 'SYSTEM',
      target_id: tenant.organisationId,
      details: { after: { records: 1, recordsFrom: '2026-10-19T00:00:00.000Z' } },
    },
  ]);
});

test('a limit made afterwards counts what has been removed', async () => {
  await book([0, 20, 40]);
  await keep(3);
  await enforceRetention(database.pool, NOW);
  const limitId = await createBudget(database.orm, tenant, { period: 'QUARTERLY' });
  const window = { windowStartMs: Date.UTC(2026, 9, 1), windowEndMs: Date.UTC(2027, 0, 1) };
  const { totals } = await windowTotals(database.pool, {
    shard: shardOf(tenant.organisationId),
    organisationId: tenant.organisationId,
    windows: [{ limitId, ...window }],
  });
  expect(totals).toMatchObject([{ settled: '3000' }]);
});

test('rows of MCP requests go with their records, and limits of the server still count them', async () => {
  const serverId = await createMcpServer(database.orm, tenant);
  const entries = [0, 5, 40].map((days) => {
    const authorisedAtMs = NOON_MS - days * DAY_MS;
    return mcpEntryOf(tenant, serverId, { requestId: uuidv7(authorisedAtMs), authorisedAtMs });
  });
  await appendNext(database.pool, tenant, entries);
  await keep(10);
  await enforceRetention(database.pool, NOW);
  expect(await countOf('mcp_usage_record')).toBe(2);
  expect(await countOf('usage_record')).toBe(2);
  const scope = { scopeType: 'MCP_SERVER' as const, scopeId: serverId };
  const limitId = await createBudget(database.orm, tenant, { ...scope, period: 'QUARTERLY' });
  const window = { windowStartMs: Date.UTC(2026, 9, 1), windowEndMs: Date.UTC(2027, 0, 1) };
  const { totals } = await windowTotals(database.pool, {
    shard: shardOf(tenant.organisationId),
    organisationId: tenant.organisationId,
    windows: [{ limitId, ...window }],
  });
  expect(totals).toMatchObject([{ settled: '3000' }]);
});

test('an entry of a time that has been removed is refused, so that nothing is charged twice', async () => {
  await book([0, 40]);
  await keep(3);
  await enforceRetention(database.pool, NOW);
  await expect(book([40])).rejects.toThrow('records of that time were removed by retention');
  await book([2]);
  expect(await countOf('usage_record')).toBe(2);
});

test('months that retention has emptied are dropped, present ones stay', async () => {
  await ensurePartitions(database.pool, { now: () => NOON_MS - 120 * DAY_MS });
  await book([0, 120]);
  expect(await dropEmptyPartitions(database.pool, NOW)).not.toContain('usage_record_2026_07');
  await keep(30);
  await enforceRetention(database.pool, NOW);
  const dropped = await Promise.all([1, 2].map(() => dropEmptyPartitions(database.pool, NOW)));
  expect(dropped.flat()).toEqual(['usage_record_2026_07']);
  expect(await countOf('usage_record')).toBe(1);
});
