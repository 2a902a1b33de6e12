import type { Database } from '../../schema';
import {
  appendNext,
  createTenant,
  entryOf,
  startTestDatabases,
  type EntryValues,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { AMOUNT_COLUMNS } from '../records/amounts';
import { rebuildRollups, repairRollups } from '../verify/rebuild';
import { verifyLedger } from '../verify/verify';
import { PERIOD_COUNTS } from './period-sql';

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

async function book(timeZone: string, instants: readonly string[]): Promise<void> {
  await database.pool.query('UPDATE organisation SET time_zone = $2 WHERE id = $1', [
    tenant.organisationId,
    timeZone,
  ]);
  const entries = instants.map((at) =>
    entryOf(tenant, { timeZone, authorisedAtMs: Date.parse(at) }),
  );
  await appendNext(database.pool, tenant, entries);
}

async function requestsBy(period: 'DAY' | 'MONTH'): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ day: string; requests: string }>(
    `SELECT starts::date::text AS day, sum(requests)::text AS requests FROM usage_period
     WHERE organisation_id = $1 AND period = $2 AND owners GROUP BY 1 ORDER BY 1`,
    [tenant.organisationId, period],
  );
  return Object.fromEntries(rows.map(({ day, requests }) => [day, Number(requests)]));
}

test.each([
  // In Berlin, clocks change on 29 March 2026 and on 25 October.
  [
    'Europe/Berlin',
    ['2026-03-28T23:00:00Z', '2026-03-29T21:59:59Z', '2026-03-29T22:00:00Z'],
    { '2026-03-29': 2, '2026-03-30': 1 },
  ],
  [
    'Europe/Berlin',
    [
      '2026-10-24T22:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T23:00:00Z',
    ],
    { '2026-10-25': 3, '2026-10-26': 1 },
  ],
  // A zone with an offset of half an hour.
  [
    'Asia/Kolkata',
    ['2026-05-01T18:29:59Z', '2026-05-01T18:30:00Z'],
    { '2026-05-01': 1, '2026-05-02': 1 },
  ],
] as const)('in %s a day has the hours that its clocks show: %j', async (zone, instants, days) => {
  await book(zone, instants);
  expect(await requestsBy('DAY')).toEqual(days);
});

test('a request counts in the month of its calendar, also when the zone changes later', async () => {
  await book('America/New_York', ['2026-03-01T02:00:00Z']);
  await book('Asia/Tokyo', ['2026-03-01T02:00:00Z']);
  expect(await requestsBy('MONTH')).toEqual({ '2026-02-01': 1, '2026-03-01': 1 });
});

async function rows(): Promise<string[]> {
  const { rows: found } = await database.pool.query<{ line: string }>(
    `SELECT row(id, period, starts, owners, team_id, user_id, api_key_id, model_id, provider_id,
       operation, status, ${[...AMOUNT_COLUMNS, ...PERIOD_COUNTS].join(', ')})::text AS line
     FROM usage_period WHERE organisation_id = $1
       AND (requests <> 0 OR cost_nano_usd <> 0 OR latency_count <> 0) ORDER BY id`,
    [tenant.organisationId],
  );
  return found.map(({ line }) => line);
}

test('summed up anew from the books, the rows are those that booking has made', async () => {
  const close = (requestId: string, mode: string, values: EntryValues = {}) =>
    entryOf(tenant, { mode, timeZone: 'UTC', ...values, requestId });
  const truth = entryOf(tenant).requestId;
  const cancelled = entryOf(tenant).requestId;
  const abandoned: EntryValues = { settle: { outcome: '', costNanoUsd: '' } };
  await appendNext(database.pool, tenant, [
    entryOf(tenant),
    entryOf(tenant, { operation: 'embeddings', settle: { outcome: 'FAILED', httpStatus: 502 } }),
    close(truth, 'ABANDONED', abandoned),
    close(cancelled, 'ABANDONED', abandoned),
  ]);
  const otherModel = { modelId: tenant.otherModelId, latencyMs: 0, firstTokenMs: 0 };
  await appendNext(database.pool, tenant, [
    close(cancelled, 'CANCELLED'),
    close(truth, 'SETTLED', { settle: otherModel }),
  ]);
  // Latency of late usage is in no adjustment, so it is not compared.
  await database.pool.query(
    `UPDATE usage_period SET latency_00 = 0, latency_count = 0, latency_ms = 0
     WHERE model_id = $1 OR (model_id IS NULL AND organisation_id = $2)`,
    [tenant.otherModelId, tenant.organisationId],
  );
  const before = await rows();
  expect(before.length).toBeGreaterThan(10);
  await rebuildRollups(database.pool);
  expect(await rows()).toEqual(before);
});

test('late truth takes its charge out of ABANDONED and counts under how it ended', async () => {
  const { requestId } = entryOf(tenant);
  const settle = { outcome: '', costNanoUsd: '' };
  const held = entryOf(tenant, { requestId, mode: 'ABANDONED', heldNanoUsd: '7000', settle });
  await appendNext(database.pool, tenant, [held]);
  await appendNext(database.pool, tenant, [entryOf(tenant, { requestId })]);
  const { rows: found } = await database.pool.query(
    `SELECT status, requests::integer, cost_nano_usd::integer AS cost FROM usage_period
     WHERE organisation_id = $1 AND period = 'MONTH' AND owners ORDER BY status`,
    [tenant.organisationId],
  );
  expect(found).toEqual([
    { status: 'ABANDONED', requests: 0, cost: 0 },
    { status: 'COMPLETED', requests: 1, cost: 1_000 },
  ]);
});

test('what a release before has left out is found and summed up anew, and only that', async () => {
  await appendNext(database.pool, tenant, [entryOf(tenant), entryOf(tenant)]);
  await rebuildRollups(database.pool);
  const other = await createTenant(database.orm);
  await appendNext(database.pool, other, [entryOf(other)]);
  expect((await verifyLedger(database.pool)).rollupBreaches).toEqual([]);
  const before = await rows();
  await database.pool.query(
    `DELETE FROM usage_period WHERE organisation_id = $1 AND period LIKE '%\\_%'`,
    [tenant.organisationId],
  );
  expect((await verifyLedger(database.pool)).rollupBreaches).toEqual([tenant.organisationId]);
  const repaired = [tenant.organisationId];
  expect(await repairRollups(database.pool)).toEqual({ repaired, remaining: [] });
  expect(await rows()).toEqual(before);
  expect(await repairRollups(database.pool)).toEqual({ repaired: [], remaining: [] });
});

test('organisations that cannot be repaired do not stop the repair of others', async () => {
  // Removed records cannot be rebuilt by hour, so only their sums are compared.
  const { rows: lost } = await database.pool.query<{ id: string }>(
    `INSERT INTO usage_removed (organisation_id, records_from, cost_nano_usd)
     SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), 1
     FROM generate_series(1, 100) AS n RETURNING organisation_id AS id`,
  );
  try {
    const ids = lost.map(({ id }) => id);
    await appendNext(database.pool, tenant, [entryOf(tenant)]);
    await database.pool.query('DELETE FROM usage_period WHERE organisation_id = $1', [
      tenant.organisationId,
    ]);
    const said: string[] = [];
    const { repaired, remaining } = await repairRollups(database.pool, (id) => said.push(id));
    expect(repaired).toEqual([...ids, tenant.organisationId]);
    expect(said).toEqual(repaired);
    expect(remaining).toEqual(ids);
  } finally {
    await database.pool.query('DELETE FROM usage_removed');
  }
  expect((await verifyLedger(database.pool)).rollupBreaches).toEqual([]);
});
