import { randomUUID } from 'node:crypto';
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
  nextBatch,
  NOON_MS,
  startTestDatabases,
  type EntryValues,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { correct } from '../adjustments/adjustments';
import { append } from '../append/append';
import { bookQuarantined } from '../operators/book-quarantined';
import { LIFETIME_IDLE_MS, removeValueWindows } from '../retention/value-windows';
import { windowTotals } from './window-totals';

let databases: TestDatabases;
let database: Database;
let tenant: Tenant;
let budgetId: string;
let quotaId: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
});
afterAll(() => databases.stop());
beforeEach(async () => {
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

const ADA = '~sAAAAAAAAAAAAAAAAAAAAAA';
const BOB = '~sBBBBBBBBBBBBBBBBBBBBBB';
const lifetime = windowAt({ period: 'LIFETIME' }, NOON_MS, 'UTC');
const day = windowAt({ period: 'DAILY' }, NOON_MS, 'UTC');

/** The counters of a value, as a close names them. */
const touching = (value: string, cost = '1000', tokens = '16') => [
  counter(`${budgetId}${value}`, lifetime, cost),
  counter(`${quotaId}${value}`, day, tokens),
];
const counter = (limitId: string, window: typeof day, amount: string) => ({
  limitId,
  windowStartMs: window.startMs,
  windowEndMs: window.endMs,
  amount,
});

const book = (value: string, values: EntryValues = {}) =>
  appendNext(database.pool, tenant, [entryOf(tenant, { touched: touching(value), ...values })]);

const refund = (requestId: string, differenceNanoUsd: bigint) =>
  inTransaction(database.pool, (tx) =>
    correct(tx, {
      organisationId: tenant.organisationId,
      timeZone: 'UTC',
      requestId,
      differenceNanoUsd,
      reason: 'a refund',
      createdBy: tenant.userId,
    }),
  );

async function totals(value: string): Promise<(string | undefined)[]> {
  const { totals: found } = await windowTotals(database.pool, {
    shard: shardOf(tenant.organisationId),
    organisationId: tenant.organisationId,
    windows: touching(value),
  });
  return (found ?? []).map(({ limitFound, settled }) =>
    limitFound === true ? settled : undefined,
  );
}

test('each value has the sums of the requests that name it', async () => {
  expect(await totals(ADA)).toEqual(['0', '0']);
  const { forgetLimitIds } = await book(ADA);
  await book(ADA);
  await book(BOB);
  expect(forgetLimitIds).toEqual([]);
  expect(await totals(ADA)).toEqual(['2000', '32']);
  expect(await totals(BOB)).toEqual(['1000', '16']);
});

test('requests of the organisation do not count in the limit itself', async () => {
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  const { rows } = await database.pool.query(
    'SELECT FROM budget_window WHERE budget_id = $1 UNION ALL SELECT FROM value_window WHERE limit_id = $1',
    [budgetId],
  );
  expect(rows).toEqual([]);
  const { totals: found } = await windowTotals(database.pool, {
    shard: shardOf(tenant.organisationId),
    organisationId: tenant.organisationId,
    windows: [counter(budgetId, lifetime, '')],
  });
  expect(found?.[0]?.limitFound).toBe(false);
});

test('the truth about an abandoned request replaces its charge, and its counters are forgotten', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId, mode: 'ABANDONED', settle: { costNanoUsd: '5000' } });
  expect((await totals(ADA))[0]).toBe('5000');
  const { forgetLimitIds } = await book(ADA, { requestId, settle: { costNanoUsd: '1200' } });
  expect(forgetLimitIds).toEqual(expect.arrayContaining([`${budgetId}${ADA}`, `${quotaId}${ADA}`]));
  expect((await totals(ADA))[0]).toBe('1200');
});

test('a second close changes nothing, and its counters are forgotten', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId });
  const { forgetLimitIds } = await book(ADA, { requestId });
  expect(forgetLimitIds).toContain(`${budgetId}${ADA}`);
  expect((await totals(ADA))[0]).toBe('1000');
});

test('a correction reaches the values that its request counted in', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId });
  await book(BOB);
  const corrected = await refund(requestId, -400n);
  expect(corrected).toMatchObject({
    news: { limitIds: expect.arrayContaining([`${budgetId}${ADA}`]) as string[] },
  });
  expect((await totals(ADA))[0]).toBe('600');
  expect((await totals(BOB))[0]).toBe('1000');
});

test('what was set aside and is booked later counts in its values, and in their corrections', async () => {
  await book(ADA);
  const entry = entryOf(tenant, { touched: touching(ADA) });
  const batch = await nextBatch(database.pool, tenant, [entry]);
  const { reply: aside } = await append(database.pool, {
    ...batch,
    quarantine: true,
    quarantineReason: 'odd',
  });
  const counters = [`${budgetId}${ADA}`, `${quotaId}${ADA}`];
  expect(aside.forgetLimitIds).toEqual(expect.arrayContaining(counters));
  expect(await totals(ADA)).toEqual(['1000', '16']);
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT id FROM ledger_quarantine WHERE entry->>'requestId' = $1`,
    [entry.requestId],
  );
  const booked = await inTransaction(database.pool, (tx) =>
    bookQuarantined(tx, rows[0]?.id ?? '', null),
  );
  expect(booked).toMatchObject({ limitIds: expect.arrayContaining(counters) as string[] });
  expect(await totals(ADA)).toEqual(['2000', '32']);
  await refund(entry.requestId, -400n);
  expect((await totals(ADA))[0]).toBe('1600');
});

test('a refund of what has been forgotten gives no credit', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId });
  await database.pool.query('DELETE FROM value_window WHERE limit_id = $1', [budgetId]);
  await refund(requestId, -700n);
  await book(ADA);
  expect((await totals(ADA))[0]).toBe('1000');
});

test('a refund of a request before its total was forgotten gives the new total no credit', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId });
  await database.pool.query('DELETE FROM value_window WHERE limit_id = $1', [budgetId]);
  const later = uuidv7();
  await book(ADA, { requestId: later });
  await refund(requestId, -700n);
  expect((await totals(ADA))[0]).toBe('1000');
  await refund(requestId, 300n);
  expect((await totals(ADA))[0]).toBe('1000');
  await refund(later, -400n);
  expect((await totals(ADA))[0]).toBe('600');
});

test('the truth about a request whose total was forgotten gives the new total no credit', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId, mode: 'ABANDONED', settle: { costNanoUsd: '5000' } });
  await database.pool.query('DELETE FROM value_window WHERE limit_id = $1', [budgetId]);
  await book(ADA);
  await book(ADA, { requestId, settle: { costNanoUsd: '1200' } });
  expect((await totals(ADA))[0]).toBe('1000');
});

test('a request that cost nothing and is corrected counts', async () => {
  const requestId = uuidv7();
  await book(ADA, { requestId, settle: { costNanoUsd: '0' } });
  await refund(requestId, 300n);
  expect((await totals(ADA))[0]).toBe('300');
});

test('values of another organisation’s limit, or of none, add nothing', async () => {
  const other = await createTenant(database.orm);
  await appendNext(database.pool, other, [entryOf(other, { touched: touching(ADA) })]);
  await book(ADA, { touched: [counter(`${uuidv7()}${ADA}`, day, '1000')] });
  expect(await totals(ADA)).toEqual(['0', '0']);
});

test.each(['~', `~s${'x'.repeat(64)}`, '~s a'])(
  'the counter "%s" cannot be booked',
  async (value) => {
    await expect(book(value)).rejects.toThrow('touched.limit_id');
  },
);

test('a window is removed after its end, and one without an end when nobody uses it any more', async () => {
  await book(ADA);
  const present = Date.now();
  expect(await removeValueWindows(database.pool, { now: () => NOON_MS })).toBe(0);
  const later = { now: () => present + LIFETIME_IDLE_MS - 60_000 };
  await removeValueWindows(database.pool, later);
  expect(await totals(ADA)).toEqual(['1000', '0']);
  await removeValueWindows(database.pool, { now: () => present + LIFETIME_IDLE_MS + 3_600_000 });
  expect(await totals(ADA)).toEqual(['0', '0']);
});
