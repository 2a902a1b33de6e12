import type { HoldState__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { inTransaction } from '../../db';
import { type Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createTenant,
  entryOf,
  nextBatch,
  NOON_MS,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { BudgetRequest } from '../holds/budget-request.entity';
import { BudgetReservation } from '../holds/budget-reservation.entity';
import { checkpoint } from '../holds/checkpoint';
import { QuotaReservation } from '../holds/quota-reservation.entity';
import { bookQuarantined } from '../operators/book-quarantined';
import { UsageRecord } from '../records/usage-record.entity';
import { verifyLedger } from '../verify/verify';
import { append } from './append';
import { LedgerQuarantine } from './ledger-quarantine.entity';

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

describe('quarantine', () => {
  const setAside = () => database.orm.manager.find(LedgerQuarantine, { order: { seq: 'DESC' } });

  test('an entry that cannot be booked is set aside, its counters forget it, the shard moves on', async () => {
    const id = await createBudget(database.orm, tenant);
    // Not touched by the close, but counted by a seed while the entry was in the stream.
    const seeded = await createBudget(database.orm, tenant);
    const touched = [{ limitId: id, windowStartMs: 0, windowEndMs: 1, amount: '5' }];
    const batch = await nextBatch(database.pool, tenant, [
      entryOf(tenant, { touched, settle: { outcome: 'GREAT' } }),
    ]);
    const { reply } = await append(database.pool, {
      ...batch,
      quarantine: true,
      quarantineReason: 'settle.outcome cannot be booked',
    });
    expect(reply.committed).toBe(true);
    expect(reply.forgetLimitIds?.toSorted()).toEqual([id, seeded].toSorted());
    const [row] = await setAside();
    expect(row).toMatchObject({
      status: 'OPEN',
      reason: 'settle.outcome cannot be booked',
      raw: null,
    });
    expect(row?.seq).toBe(BigInt(batch.last));
    expect((await appendNext(database.pool, tenant, [entryOf(tenant)])).committed).toBe(true);
  });

  test('bytes that could not be decoded are kept as they are', async () => {
    const batch = await nextBatch(database.pool, tenant, []);
    const raw = [Buffer.from([0, 255, 92, 34])];
    await append(database.pool, { ...batch, last: batch.prev + 1, raw, quarantine: true });
    const row = (await setAside()).find((one) => one.raw !== null);
    expect(row).toMatchObject({ entry: null, raw: raw[0] });
  });

  test('an entry that can be booked after all is booked, once, and its limits are forgotten', async () => {
    const id = await createBudget(database.orm, tenant);
    const entry = entryOf(tenant);
    const batch = await nextBatch(database.pool, tenant, [entry]);
    await append(database.pool, { ...batch, quarantine: true, quarantineReason: 'bad luck' });
    const row = (await setAside()).find((one) =>
      JSON.stringify(one.entry).includes(entry.requestId),
    );
    const attempt = () =>
      inTransaction(database.pool, (tx) => bookQuarantined(tx, row?.id ?? '', null));
    expect(await attempt()).toMatchObject({
      organisationId: tenant.organisationId,
      limitIds: [id],
    });
    expect(await attempt()).toBe('NOT_OPEN');
    expect(await database.orm.manager.countBy(UsageRecord, { id: entry.requestId })).toBe(1);
    expect((await verifyLedger(database.pool)).ok).toBe(true);
  });
});

describe('a checkpoint', () => {
  const holdOf = (values: Partial<HoldState__Output> = {}): HoldState__Output => ({
    requestId: uuidv7(),
    organisationId: tenant.organisationId,
    teamId: '',
    userId: tenant.userId,
    apiKeyId: tenant.apiKeyId,
    modelId: tenant.modelId,
    state: 'HELD',
    authorisedAtMs: NOON_MS,
    leaseUntilMs: NOON_MS + 60_000,
    endedAtMs: 0,
    counters: [],
    version: 1,
    ...values,
  });
  const counter = (limitId: string, kind: string, held: string, spent = '0') => ({
    limitId,
    kind,
    windowStartMs: NOON_MS,
    held,
    spent,
  });
  const stored = (requestId: string) =>
    database.orm.manager.findOneByOrFail(BudgetRequest, { requestId });

  test('shows a hold with what it holds of each budget and quota', async () => {
    const [budget, quota] = [uuidv7(), uuidv7()];
    const hold = holdOf({
      counters: [
        counter(budget, 'BUDGET', '500'),
        counter(quota, 'QUOTA', '1'),
        counter(`${uuidv7()}:rpm`, 'RATE_REQUESTS', '1'),
      ],
    });
    expect(await checkpoint(database.pool, [hold])).toBe(1);
    expect(await stored(hold.requestId)).toMatchObject({
      state: 'HELD',
      endedAt: null,
      teamId: null,
    });
    const { requestId } = hold;
    expect(await database.orm.manager.findBy(BudgetReservation, { requestId })).toMatchObject([
      { budgetId: budget, heldNanoUsd: 500n, spentNanoUsd: 0n },
    ]);
    expect(await database.orm.manager.findBy(QuotaReservation, { requestId })).toMatchObject([
      { quotaId: quota, held: 1n, used: 0n },
    ]);
  });

  test('of a later version wins, of an earlier one is no news', async () => {
    const hold = holdOf({ version: 5 });
    await checkpoint(database.pool, [hold, { ...hold, version: 4, state: 'ABANDONED' }]);
    const later = { ...hold, version: 7, leaseUntilMs: NOON_MS + 90_000 };
    expect(await checkpoint(database.pool, [later])).toBe(1);
    expect(await checkpoint(database.pool, [{ ...hold, version: 6 }])).toBe(0);
    expect(await stored(hold.requestId)).toMatchObject({
      state: 'HELD',
      leaseUntil: new Date(NOON_MS + 90_000),
    });
  });

  test('does not bring an ended hold back', async () => {
    const hold = holdOf({ state: 'CANCELLED', endedAtMs: NOON_MS + 1 });
    await checkpoint(database.pool, [hold]);
    expect(await checkpoint(database.pool, [{ ...hold, state: 'HELD', version: 9 }])).toBe(0);
    const booked = entryOf(tenant);
    await appendNext(database.pool, tenant, [booked]);
    expect(await checkpoint(database.pool, [holdOf({ requestId: booked.requestId })])).toBe(0);
  });

  test('is closed by the booking of its request', async () => {
    const budget = uuidv7();
    const hold = holdOf({ counters: [counter(budget, 'BUDGET', '500')] });
    await checkpoint(database.pool, [hold]);
    await appendNext(database.pool, tenant, [
      entryOf(tenant, {
        requestId: hold.requestId,
        touched: [
          { limitId: budget, windowStartMs: NOON_MS, windowEndMs: NOON_MS + 1, amount: '42' },
        ],
      }),
    ]);
    expect(await stored(hold.requestId)).toMatchObject({ state: 'SETTLED' });
    const { requestId } = hold;
    expect(await database.orm.manager.findBy(BudgetReservation, { requestId })).toMatchObject([
      { heldNanoUsd: 0n, spentNanoUsd: 42n },
    ]);
  });

  test('with a state that does not exist is refused', async () => {
    expect(() => checkpoint(database.pool, [holdOf({ state: 'LOST' })])).toThrow(RangeError);
  });
});

test('verification names the window and the organisation whose sums are wrong', async () => {
  const id = await createBudget(database.orm, tenant);
  await appendNext(database.pool, tenant, [entryOf(tenant, { estimateShortfallNanoUsd: '30' })]);
  const before = await verifyLedger(database.pool);
  expect(
    before.organisations.find((one) => one.organisationId === tenant.organisationId),
  ).toMatchObject({
    records: 1n,
    adjustments: 0n,
    costNanoUsd: 1_000n,
    estimateShortfallNanoUsd: 30n,
  });
  await database.pool.query('UPDATE budget_window SET spent_nano_usd = 7 WHERE budget_id = $1', [
    id,
  ]);
  await database.pool.query('UPDATE usage SET requests = 9 WHERE organisation_id = $1', [
    tenant.organisationId,
  ]);
  expect(await verifyLedger(database.pool)).toMatchObject({
    ok: false,
    windowBreaches: [{ kind: 'BUDGET', limitId: id, booked: 7n, truth: 1_000n }],
    rollupBreaches: [tenant.organisationId],
  });
});
