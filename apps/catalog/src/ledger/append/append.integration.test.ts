import { QUOTA_METRICS, shardOf, windowAt } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';

import { Budget } from '../../entities/budget.entity';
import type { Database } from '../../schema';
import {
  appendNext,
  createBudget,
  createQuota,
  createTenant,
  entryOf,
  nextBatch,
  NOON_MS,
  scopesOf,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../../test-support';
import { UsageAdjustment } from '../records/usage-adjustment.entity';
import { UsageRecord } from '../records/usage-record.entity';
import { Usage } from '../rollups/usage.entity';
import { verifyLedger } from '../verify/verify';
import { BudgetWindow } from '../windows/budget-window.entity';
import { QuotaWindow } from '../windows/quota-window.entity';
import { append } from './append';

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
afterEach(async () => {
  const { ok, windowBreaches, rollupBreaches } = await verifyLedger(database.pool);
  expect({ ok, windowBreaches, rollupBreaches }).toEqual({
    ok: true,
    windowBreaches: [],
    rollupBreaches: [],
  });
});

const records = () =>
  database.orm.manager.findBy(UsageRecord, { organisationId: tenant.organisationId });
const adjustments = () =>
  database.orm.manager.find(UsageAdjustment, {
    where: { organisationId: tenant.organisationId },
    order: { part: 'ASC' },
  });
const spent = async (budgetId: string) =>
  (await database.orm.manager.findBy(BudgetWindow, { budgetId })).map((row) => row.spentNanoUsd);

/** The counters that a close touches when it charges all of them. */
function touching(
  entry: Entry__Output,
  limits: [limitId: string, amount: string][],
): Entry__Output {
  const { startMs, endMs } = windowAt({ period: 'DAILY' }, entry.authorisedAtMs, entry.timeZone);
  return {
    ...entry,
    touched: limits.map(([limitId, amount]) => ({
      limitId,
      windowStartMs: startMs,
      windowEndMs: endMs,
      amount,
    })),
  };
}

test('an entry becomes one record that says what the entry said', async () => {
  const entry = entryOf(tenant);
  const reply = await appendNext(database.pool, tenant, [entry]);
  expect(reply.committed).toBe(true);
  expect(await records()).toMatchObject([
    {
      id: entry.requestId,
      mode: 'SETTLED',
      outcome: 'COMPLETED',
      teamId: tenant.teamId,
      modelId: tenant.modelId,
      costNanoUsd: 1_000n,
      inputTokens: 10n,
      cacheReadTokens: 1n,
      reasoningTokens: 2n,
      tokensIn: 11n,
      tokensOut: 5n,
      requests: 1,
      errors: 0,
      upstreamMs: 400n,
      units: { image: '1' },
      clientRequestId: 'client-1',
      errorCode: null,
      authorisedAt: new Date(NOON_MS),
    },
  ]);
});

test('a batch sent again, from another position or in another epoch commits nothing', async () => {
  const batch = await nextBatch(database.pool, tenant, [entryOf(tenant), entryOf(tenant)]);
  await append(database.pool, batch);
  const state = { shard: batch.shard, epoch: batch.epoch, lastSeq: batch.last, rev: 0 };
  for (const wrong of [
    batch,
    {
      ...batch,
      epoch: batch.epoch + 1,
      prev: batch.last,
      last: batch.last + 2,
      entries: batch.entries.map((e) => ({ ...e, seq: e.seq + 2 })),
    },
  ]) {
    const { reply } = await append(database.pool, wrong);
    expect(reply).toMatchObject({ committed: false, state });
  }
  expect(await records()).toHaveLength(2);
});

test('entries that do not lead from prev to last are refused', async () => {
  const batch = await nextBatch(database.pool, tenant, [entryOf(tenant)]);
  await expect(append(database.pool, { ...batch, last: batch.last + 1 })).rejects.toThrow(
    RangeError,
  );
  const [entry] = batch.entries;
  await expect(
    append(database.pool, {
      ...batch,
      entries: [{ ...(entry as Entry__Output), seq: batch.last + 5 }],
    }),
  ).rejects.toThrow('must be numbered');
});

test('an organisation of another shard is refused', async () => {
  const batch = await nextBatch(database.pool, tenant, [entryOf(tenant)]);
  const shard = (batch.shard + 1) % 256;
  await expect(
    append(database.pool, {
      ...batch,
      shard,
      prev: 0,
      last: 1,
      entries: [{ ...(batch.entries[0] as Entry__Output), seq: 1 }],
    }),
  ).rejects.toThrow('does not belong to shard');
});

test('every level and every metric of limit is charged what the request used', async () => {
  const budgets: string[] = [];
  for (const scope of scopesOf(tenant))
    budgets.push(await createBudget(database.orm, tenant, scope));
  const other = await createBudget(database.orm, tenant, {
    scopeType: 'MODEL',
    scopeId: tenant.otherModelId,
  });
  const quotas = new Map<string, string>();
  for (const metric of QUOTA_METRICS) {
    quotas.set(metric, await createQuota(database.orm, tenant, { metric, ...scopesOf(tenant)[3] }));
  }
  await appendNext(database.pool, tenant, [
    entryOf(tenant),
    entryOf(tenant, { settle: { outcome: 'FAILED', httpStatus: 502, costNanoUsd: '0' } }),
  ]);
  for (const id of budgets) expect(await spent(id)).toEqual([1_000n]);
  expect(await spent(other)).toEqual([]);
  const used = async (metric: string) =>
    (await database.orm.manager.findBy(QuotaWindow, { quotaId: quotas.get(metric) ?? '' })).map(
      (row) => row.used,
    );
  expect(await used('REQUESTS')).toEqual([2n]);
  expect(await used('TOKENS')).toEqual([32n]);
  expect(await used('TOKENS_IN')).toEqual([22n]);
  expect(await used('TOKENS_OUT')).toEqual([10n]);
  expect(await used('ERRORS')).toEqual([1n]);
  expect(await used('COST')).toEqual([1_000n]);
  expect(await used('LATENCY_MS')).toEqual([800n]);
});

test('a limit made after requests were booked starts from what they spent', async () => {
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  const id = await createBudget(database.orm, tenant);
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  expect(await spent(id)).toEqual([2_000n]);
});

test('a request counts in the window of the instant it was authorised at, in its zone', async () => {
  const id = await createBudget(database.orm, tenant);
  const late = Date.UTC(2026, 10, 18, 23, 30);
  await appendNext(database.pool, tenant, [
    entryOf(tenant, {
      authorisedAtMs: late,
      closedAtMs: late + 3_600_000,
      timeZone: 'Europe/Berlin',
    }),
  ]);
  const [window] = await database.orm.manager.findBy(BudgetWindow, { budgetId: id });
  expect(window?.startsAt).toEqual(new Date('2026-11-18T23:00:00Z'));
  expect(window?.endsAt).toEqual(new Date('2026-11-19T23:00:00Z'));
});

test('windows of a changed period overlap and both stay right', async () => {
  const id = await createBudget(database.orm, tenant);
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  await database.orm.manager.update(Budget, { id }, { period: 'MONTHLY' });
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  await appendNext(database.pool, tenant, [entryOf(tenant)]);
  expect(await spent(id)).toEqual([3_000n, 3_000n]);
});

test('only limits that disagree with the books are forgotten', async () => {
  const agreeing = await createBudget(database.orm, tenant);
  const untouched = await createBudget(database.orm, tenant);
  const wrong = await createBudget(database.orm, tenant);
  const errors = await createQuota(database.orm, tenant, { metric: 'ERRORS' });
  const entry = touching(entryOf(tenant), [
    [agreeing, '1000'],
    [wrong, '999'],
    [`${agreeing}:rpm`, '1'],
  ]);
  const reply = await appendNext(database.pool, tenant, [entry]);
  expect(reply.forgetLimitIds?.toSorted()).toEqual([untouched, wrong].toSorted());
  expect(reply.forgetLimitIds).not.toContain(errors);
});

test('a second close of a booked request charges nothing and its counters are forgotten', async () => {
  const id = await createBudget(database.orm, tenant);
  const entry = touching(entryOf(tenant), [[id, '1000']]);
  expect((await appendNext(database.pool, tenant, [entry])).forgetLimitIds).toEqual([]);
  const again = await appendNext(database.pool, tenant, [entry, entry]);
  expect(again.forgetLimitIds).toEqual([id]);
  expect(await spent(id)).toEqual([1_000n]);
  expect(await records()).toHaveLength(1);
});

test('a second close makes every limit that it matches forget: a seed may have counted it', async () => {
  const [touched, untouched] = [
    await createBudget(database.orm, tenant),
    await createQuota(database.orm, tenant, { metric: 'REQUESTS' }),
  ];
  const elsewhere = await createBudget(database.orm, tenant, {
    scopeType: 'MODEL',
    scopeId: tenant.otherModelId,
  });
  const stranger = await createTenant(database.orm);
  await createBudget(database.orm, stranger);
  const entry = touching(entryOf(tenant), [
    [touched, '1000'],
    [untouched, '1'],
  ]);
  await appendNext(database.pool, tenant, [entry]);
  for (const mode of ['SETTLED', 'ABANDONED']) {
    const again = await appendNext(database.pool, tenant, [{ ...entry, mode, touched: [] }]);
    expect(again.forgetLimitIds?.toSorted()).toEqual([touched, untouched].toSorted());
    expect(again.forgetLimitIds).not.toContain(elsewhere);
  }
  expect(await spent(touched)).toEqual([1_000n]);
});

test('a cancel of a request that is booked as settled means nothing', async () => {
  const id = await createBudget(database.orm, tenant);
  const entry = touching(entryOf(tenant), [[id, '1000']]);
  await appendNext(database.pool, tenant, [entry]);
  const cancel = { ...entry, mode: 'CANCELLED', touched: [] };
  expect((await appendNext(database.pool, tenant, [cancel])).forgetLimitIds).toEqual([]);
  expect([await spent(id), await adjustments()]).toEqual([[1_000n], []]);
});

describe('an abandoned request', () => {
  const abandoned = (values = {}) =>
    entryOf(tenant, {
      mode: 'ABANDONED',
      settle: {
        outcome: '',
        costNanoUsd: '',
        httpStatus: 0,
        usage: null,
        upstreamMs: 0,
        latencyMs: 0,
      },
      ...values,
    });

  test('is charged what was held', async () => {
    const id = await createBudget(database.orm, tenant);
    await appendNext(database.pool, tenant, [abandoned()]);
    expect(await spent(id)).toEqual([5_000n]);
    expect(await records()).toMatchObject([{ mode: 'ABANDONED', outcome: null }]);
    const [rollup] = await database.orm.manager.findBy(Usage, {
      organisationId: tenant.organisationId,
    });
    expect(rollup).toMatchObject({ abandoned: 1n, completed: 0n, requests: 1n });
  });

  test('is corrected once when the truth arrives, in the same batch or later', async () => {
    const id = await createBudget(database.orm, tenant);
    const [one, two] = [abandoned(), abandoned()];
    const truth = (entry: Entry__Output) =>
      entryOf(tenant, { requestId: entry.requestId, timeZone: 'UTC' });
    const reply = await appendNext(database.pool, tenant, [
      touching(one, [[id, '5000']]),
      truth(one),
      touching(two, [[id, '5000']]),
    ]);
    expect(reply.forgetLimitIds).toEqual([id]);
    expect(
      (await appendNext(database.pool, tenant, [truth(two), truth(two), truth(one)]))
        .forgetLimitIds,
    ).toEqual([id]);
    expect(await spent(id)).toEqual([2_000n]);
    expect(await adjustments()).toHaveLength(2);
    const [rollup] = await database.orm.manager.findBy(Usage, {
      organisationId: tenant.organisationId,
    });
    expect(rollup).toMatchObject({ abandoned: 0n, completed: 2n, requests: 2n, latencyCount: 2n });
  });

  test('that was cancelled in truth gives everything back, the request too', async () => {
    const id = await createBudget(database.orm, tenant);
    const requests = await createQuota(database.orm, tenant);
    const entry = abandoned();
    await appendNext(database.pool, tenant, [entry]);
    await appendNext(database.pool, tenant, [
      entryOf(tenant, { requestId: entry.requestId, mode: 'CANCELLED' }),
    ]);
    expect(await spent(id)).toEqual([0n]);
    const windows = await database.orm.manager.findBy(QuotaWindow, { quotaId: requests });
    expect(windows.map((row) => row.used)).toEqual([0n]);
    expect(await adjustments()).toMatchObject([{ kind: 'LATE_CANCELLED', requests: -1 }]);
  });

  test('that another model answered is taken off the one and booked on the other', async () => {
    const [first, second] = [
      await createBudget(database.orm, tenant, { scopeType: 'MODEL', scopeId: tenant.modelId }),
      await createBudget(database.orm, tenant, {
        scopeType: 'MODEL',
        scopeId: tenant.otherModelId,
      }),
    ];
    const entry = abandoned();
    await appendNext(database.pool, tenant, [entry]);
    await appendNext(database.pool, tenant, [
      entryOf(tenant, { requestId: entry.requestId, settle: { modelId: tenant.otherModelId } }),
    ]);
    expect([await spent(first), await spent(second)]).toEqual([[0n], [1_000n]]);
    expect(await adjustments()).toMatchObject([
      { part: 0, modelId: tenant.modelId, costNanoUsd: -5_000n },
      { part: 1, modelId: tenant.otherModelId, costNanoUsd: 1_000n },
    ]);
  });
});

test('a cancelled entry without a record books nothing', async () => {
  const id = await createBudget(database.orm, tenant);
  const reply = await appendNext(database.pool, tenant, [entryOf(tenant, { mode: 'CANCELLED' })]);
  expect(reply).toMatchObject({ committed: true, forgetLimitIds: [] });
  expect([await records(), await adjustments(), await spent(id)]).toEqual([[], [], []]);
});

test.each([
  ['an id', { requestId: 'nonsense' }, 'request_id'],
  ['an amount', { settle: { costNanoUsd: '1.5' } }, 'cost_nano_usd'],
  ['an outcome', { settle: { outcome: 'GREAT' } }, 'outcome'],
  ['a mode', { mode: 'HELD' }, 'mode'],
])('%s that cannot be booked is named and moves nothing', async (_, values, field) => {
  const batch = await nextBatch(database.pool, tenant, [entryOf(tenant), entryOf(tenant, values)]);
  await expect(append(database.pool, batch)).rejects.toThrow(field);
  expect(await records()).toEqual([]);
  expect(await nextBatch(database.pool, tenant, [])).toMatchObject({ prev: batch.prev });
});

test('what an upstream says in NULs and broken Unicode is booked without them', async () => {
  await appendNext(database.pool, tenant, [
    entryOf(tenant, { settle: { stopReason: 'st\0op\ud800', units: { 'a\0': '1' } } }),
  ]);
  expect(await records()).toMatchObject([{ stopReason: 'stop\ufffd', units: { a: '1' } }]);
});

test('batches of different shards are booked at the same time', async () => {
  const tenants = await Promise.all(Array.from({ length: 8 }, () => createTenant(database.orm)));
  const replies = await Promise.all(
    [...new Map(tenants.map((one) => [shardOf(one.organisationId), one])).values()].map((one) =>
      appendNext(database.pool, one, [entryOf(one), entryOf(one)]),
    ),
  );
  expect(replies.every((reply) => reply.committed)).toBe(true);
});
