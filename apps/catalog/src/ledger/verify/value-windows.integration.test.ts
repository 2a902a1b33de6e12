import { randomUUID } from 'node:crypto';
import { windowAt } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { inTransaction } from '../../db';
import { readOutbox } from '../../outbox';
import { type Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createQuota,
  createTenant,
  entryOf,
  startTestDatabases,
  type EntryValues,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { correct } from '../adjustments/adjustments';
import { removeValueWindows } from '../retention/value-windows';
import { repairValueWindows } from './value-windows';
import { verifyLedger } from './verify';

// Windows that are open now, because verification leaves out those that may have been removed.

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
let budgetId: string;
let quotaId: string;
beforeAll(async () => {
  databases = await startTestDatabases();
});
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.fresh();
  tenant = await createTenant(database.orm);
  const values = {
    scopeType: 'SESSION' as const,
    scopeId: tenant.organisationId,
    valueKey: randomUUID(),
  };
  budgetId = await createBudget(database.orm, tenant, { ...values, period: 'LIFETIME' });
  const daily = { metric: 'TOKENS' as const, period: 'DAILY' as const, windowSeconds: null };
  quotaId = await createQuota(database.orm, tenant, { ...values, ...daily });
});

const hashOf = (n: number): string => `s${String(n).padStart(22, '0')}`;
const lifetime = windowAt({ period: 'LIFETIME' }, 0, 'UTC');
const day = windowAt({ period: 'DAILY' }, Date.now(), 'UTC');

const counter = (limitId: string, window: typeof day, amount: string) => ({
  limitId,
  windowStartMs: window.startMs,
  windowEndMs: window.endMs,
  amount,
});

const entryFor = (value: number, values: EntryValues = {}) =>
  entryOf(tenant, {
    touched: [
      counter(`${budgetId}~${hashOf(value)}`, lifetime, '1000'),
      counter(`${quotaId}~${hashOf(value)}`, day, '16'),
    ],
    ...values,
  });
const book = (...values: number[]) =>
  appendNext(
    database.pool,
    tenant,
    values.map((value) => entryFor(value)),
  );
const run = (sql: string, parameters: unknown[] = []) => database.pool.query(sql, parameters);

async function differing() {
  const { ok, valueBreaches } = await verifyLedger(database.pool);
  expect(ok).toBe(valueBreaches.length === 0);
  return valueBreaches;
}

const budgetBreach = (value: number, booked: bigint, truth: bigint) => ({
  limitId: budgetId,
  valueHash: hashOf(value),
  organisationId: tenant.organisationId,
  startMs: lifetime.startMs,
  endMs: lifetime.endMs,
  booked,
  truth,
});

test('totals of values are the sums of their records and adjustments', async () => {
  const requestId = uuidv7();
  await book(1, 1, 2);
  await appendNext(database.pool, tenant, [entryFor(2, { requestId })]);
  await inTransaction(database.pool, (tx) =>
    correct(tx, {
      organisationId: tenant.organisationId,
      timeZone: 'UTC',
      requestId,
      differenceNanoUsd: -400n,
      reason: 'a refund',
      createdBy: tenant.userId,
    }),
  );
  expect(await differing()).toEqual([]);
  expect(await repairValueWindows(database.pool)).toEqual({ repaired: new Map(), remaining: [] });
});

test('each total that differs is named, written again, and its counter is forgotten', async () => {
  await book(1, 1, 2, 3);
  await run('UPDATE value_window SET amount = amount + 5 WHERE limit_id = $1 AND value_hash = $2', [
    budgetId,
    hashOf(1),
  ]);
  await run('DELETE FROM value_window WHERE limit_id = $1 AND value_hash = $2', [
    quotaId,
    hashOf(2),
  ]);
  expect(await differing()).toEqual(
    expect.arrayContaining([
      budgetBreach(1, 2005n, 2000n),
      expect.objectContaining({ limitId: quotaId, valueHash: hashOf(2), booked: 0n, truth: 16n }),
    ]),
  );
  const { rows } = await run('SELECT coalesce(max(seq), 0) AS seq FROM outbox_event');
  const said: unknown[] = [];
  const { remaining } = await repairValueWindows(database.pool, (id, totals) =>
    said.push([id, totals]),
  );
  expect({ said, remaining }).toEqual({ said: [[tenant.organisationId, 2]], remaining: [] });
  expect(await differing()).toEqual([]);
  const events = await readOutbox(database.pool, (rows[0] as { seq: bigint }).seq, 10);
  expect(events.flatMap((event) => event.limit_ids).toSorted()).toEqual(
    [`${budgetId}~${hashOf(1)}`, `${quotaId}~${hashOf(2)}`].toSorted(),
  );
});

test('a total that was written again is added to and refunded as before', async () => {
  await book(1);
  await run('DELETE FROM value_window');
  await repairValueWindows(database.pool);
  await book(1);
  expect(await differing()).toEqual([]);
  const { rows } = await run('SELECT amount FROM value_window WHERE limit_id = $1', [budgetId]);
  expect(rows).toEqual([{ amount: 2000n }]);
});

test('a forgotten total is not missed, and one that began again counts from there', async () => {
  await book(1, 2);
  await run(`UPDATE usage_record SET recorded_at = recorded_at - interval '91 days'`);
  await run(`UPDATE value_window SET updated_at = updated_at - interval '91 days',
    counts_from = counts_from - interval '91 days'`);
  await removeValueWindows(database.pool, { now: () => Date.now() });
  expect((await differing()).filter(({ limitId }) => limitId === budgetId)).toEqual([]);
  await book(1);
  expect(await differing()).toEqual([]);
  await run('UPDATE value_window SET amount = 2000 WHERE limit_id = $1', [budgetId]);
  expect(await differing()).toEqual([budgetBreach(1, 2000n, 1000n)]);
});

test('a total may exceed the records that retention has left, and must not be below', async () => {
  await book(1);
  await run(
    `INSERT INTO usage_removed (organisation_id, records_from) VALUES ($1, now() - interval '30 days')`,
    [tenant.organisationId],
  );
  await run('UPDATE value_window SET amount = 7000 WHERE limit_id = $1', [budgetId]);
  expect(await differing()).toEqual([]);
  await run('UPDATE value_window SET amount = 700 WHERE limit_id = $1', [budgetId]);
  expect(await differing()).toEqual([budgetBreach(1, 700n, 1000n)]);
});

test('the windows of a limit that was deleted, and of days long past, are left out', async () => {
  await book(1);
  await run('DELETE FROM budget WHERE id = $1', [budgetId]);
  await run(`UPDATE value_window SET amount = 1 WHERE limit_id = $1`, [budgetId]);
  const past = windowAt({ period: 'DAILY' }, Date.now() - 20 * 86_400_000, 'UTC');
  await appendNext(database.pool, tenant, [
    entryFor(2, { touched: [counter(`${quotaId}~${hashOf(2)}`, past, '16')] }),
  ]);
  await removeValueWindows(database.pool, { now: () => Date.now() });
  expect(await differing()).toEqual([]);
});

test('more totals than a page are written again, and all their counters are forgotten', async () => {
  const values = Array.from({ length: 600 }, (_, n) => n);
  for (let from = 0; from < values.length; from += 200) {
    await book(...values.slice(from, from + 200));
  }
  await run('UPDATE value_window SET amount = amount + 1');
  expect(await differing()).toHaveLength(100);
  const { repaired, remaining } = await repairValueWindows(database.pool);
  expect({ repaired, remaining }).toEqual({
    repaired: new Map([[tenant.organisationId, 1200]]),
    remaining: [],
  });
  const { rows } = await run(
    'SELECT count(DISTINCT id)::integer AS n FROM outbox_event, unnest(limit_ids) AS id',
  );
  expect(rows).toEqual([{ n: 1200 }]);
});
