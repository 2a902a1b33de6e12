import { rest } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';
import type { z } from 'zod';

import { inTransaction } from '../../db';
import { correct, verifyLedger } from '../../ledger';
import { rerateBatch } from '../../ledger/re-rating/rerate';
import { UsageAdjustment } from '../../ledger/records/usage-adjustment.entity';
import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import { type Database } from '../../schema';
import {
  appendNext,
  entryOf,
  mcpEntryOf,
  startTestDatabases,
  until,
  type EntryValues,
  type TestDatabases,
} from '../../test-support';

/**
 * The tenant's model costs 2.50 and 10 US dollars per million tokens, so each request below costs
 * 0.0125.
 */

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let params: { organisationId: string };
let priceId: string;
let made = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
beforeEach(async () => {
  tenant = await createTenant(server, `acme-${(made += 1)}`);
  params = { organisationId: tenant.organisationId };
  const modelParams = { ...params, modelId: tenant.modelId };
  const { data } = await server.ok(server.root, rest.listPrices, { params: modelParams });
  priceId = data[0]?.id ?? '';
});

const CHARGED = 12_500_000n;
const START_MS = Date.UTC(2026, 1, 28, 20);
const HOUR_MS = 3_600_000;
const FROM = new Date(START_MS).toISOString();
const TO = new Date(START_MS + 24 * HOUR_MS).toISOString();
const USAGE = {
  input: 1_000,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 1_000,
  audioOutput: 0,
  imageOutput: 0,
  reasoning: 0,
};

function entry(values: EntryValues = {}): Entry__Output {
  return entryOf(chargedOf(tenant), {
    authorisedAtMs: START_MS,
    ...values,
    settle: {
      usage: USAGE,
      units: {},
      priceId,
      costNanoUsd: CHARGED.toString(),
      ...values.settle,
    },
  });
}

async function book(count: number, values: EntryValues = {}): Promise<string[]> {
  const entries = Array.from({ length: count }, () => entry(values));
  await appendNext(database.pool, tenant, entries);
  return entries.map(({ requestId }) => requestId);
}

type Body = z.input<typeof rest.rerateCreate>;

/** Double the price by default. */
const body = (values: Partial<Body> = {}): Body => ({
  modelId: tenant.modelId,
  from: FROM,
  to: TO,
  price: { steps: [{ input: '5', output: '20' }] },
  reason: 'the list was wrong',
  ...values,
});

const create = (values: Partial<Body> = {}) =>
  server.ok(server.root, rest.createRerate, { params, body: body(values) });

async function workOff(batch?: number, pool = database.pool): Promise<number> {
  for (let batches = 0; ; batches += 1) {
    if ((await rerateBatch(pool, batch)) === 'IDLE') return batches;
  }
}

async function rerate(values: Partial<Body> = {}, batch?: number): Promise<rest.Rerate> {
  const { id } = await create(values);
  await workOff(batch);
  return server.ok(server.root, rest.getRerate, { params: { ...params, rerateId: id } });
}

const adjustments = () =>
  database.orm.manager.find(UsageAdjustment, {
    where: { organisationId: tenant.organisationId, kind: 'RERATE' },
  });

async function totalNanoUsd(): Promise<bigint> {
  const books = await verifyLedger(database.pool);
  expect(books).toMatchObject({ windowBreaches: [], rollupBreaches: [] });
  const found = books.organisations.find((one) => one.organisationId === tenant.organisationId);
  return found?.costNanoUsd ?? 0n;
}

test('every record of the period comes to what the corrected price gives, once', async () => {
  await book(5);
  await book(1, { authorisedAtMs: START_MS + 24 * HOUR_MS });
  const done = await rerate({}, 2);
  expect(done).toMatchObject({
    status: 'DONE',
    records: 5,
    changed: 5,
    differenceUsd: '0.0625',
    price: { steps: [{ input: '5.00', cacheRead: '5.00', output: '20.00' }] },
  });
  expect(await totalNanoUsd()).toBe(CHARGED * 11n);
  const rows = await adjustments();
  expect(rows).toHaveLength(5);
  expect(rows[0]).toMatchObject({
    costNanoUsd: CHARGED,
    priceId: done.id,
    reason: 'the list was wrong',
    tokensIn: 0n,
    requests: 0,
  });
  expect(await rerate({})).toMatchObject({ records: 5, changed: 0, differenceUsd: '0.00' });
  expect(await rerate({ price: undefined })).toMatchObject({ records: 5, changed: 0 });
  expect(await adjustments()).toHaveLength(5);
});

test('the price that was charged changes nothing', async () => {
  await book(3);
  const price = { steps: [{ input: '2.5', output: '10' }] };
  expect(await rerate({ price })).toMatchObject({ records: 3, changed: 0, otherwiseCharged: 0 });
  expect(await adjustments()).toEqual([]);
});

test('requests to MCP servers are left alone, settled or abandoned', async () => {
  const values = { authorisedAtMs: START_MS };
  const charged = chargedOf(tenant);
  const abandoned = { ...values, mode: 'ABANDONED', settle: { outcome: '', costNanoUsd: '' } };
  await appendNext(database.pool, tenant, [
    mcpEntryOf(charged, tenant.mcpServerId, values),
    mcpEntryOf(charged, tenant.mcpServerId, abandoned),
  ]);
  await book(1);
  const all = await rerate({ modelId: undefined, price: undefined });
  expect(all).toMatchObject({ status: 'DONE', records: 0 });
  expect(await rerate()).toMatchObject({ records: 1, changed: 1 });
  expect(await adjustments()).toMatchObject([{ modelId: tenant.modelId, mcpServerId: null }]);
  await totalNanoUsd();
});

test('a dry run counts by month, in the zone of the organisation, and changes nothing', async () => {
  await server.ok(server.root, rest.updateOrganisation, {
    params,
    body: { timeZone: 'Europe/Berlin' },
  });
  await book(2, { authorisedAtMs: START_MS });
  await book(3, { authorisedAtMs: START_MS + 3.5 * HOUR_MS });
  const dry = await rerate({ dryRun: true }, 2);
  expect(dry).toMatchObject({ status: 'DONE', changed: 5, differenceUsd: '0.0625' });
  expect(dry.months).toEqual([
    { start: '2026-01-31T23:00:00.000Z', records: 2, differenceUsd: '0.025' },
    { start: '2026-02-28T23:00:00.000Z', records: 3, differenceUsd: '0.0375' },
  ]);
  expect(await adjustments()).toEqual([]);
  // Its price is not stored, so a later run cannot apply it.
  expect(await rerate({ price: undefined })).toMatchObject({ records: 0, changed: 0 });
});

test('records booked afterwards are found by a run without a price; the later price holds', async () => {
  await book(1);
  await rerate();
  await book(1);
  expect(await rerate({ price: undefined, modelId: undefined })).toMatchObject({ changed: 1 });
  expect(await totalNanoUsd()).toBe(CHARGED * 4n);
  const half = new Date(START_MS + HOUR_MS).toISOString();
  await book(1, { authorisedAtMs: START_MS + 2 * HOUR_MS });
  await rerate({ price: { steps: [{ input: '0', output: '0' }] }, to: half });
  expect(await totalNanoUsd()).toBe(CHARGED);
  expect(await rerate({ price: undefined })).toMatchObject({ records: 3, changed: 1 });
  expect(await totalNanoUsd()).toBe(CHARGED * 2n);
});

test('holds that nobody settled, and charges of no price list, are left alone and counted', async () => {
  const held = { mode: 'ABANDONED', settle: { costNanoUsd: '' } };
  await book(2, held);
  await book(1, { settle: { costNanoUsd: '5' } });
  await book(1, { settle: { priceId: uuidv7() } });
  const done = await rerate();
  expect(done).toMatchObject({ records: 4, changed: 0, held: 2, otherwiseCharged: 2 });
});

test('late truth is re-rated by what it tells, also where it names another model', async () => {
  const requestId = uuidv7();
  await book(1, { requestId, mode: 'ABANDONED', modelId: uuidv7(), settle: { modelId: '' } });
  await book(1, { requestId });
  expect(await totalNanoUsd()).toBe(CHARGED);
  expect(await rerate()).toMatchObject({ records: 1, changed: 1, held: 0 });
  expect(await totalNanoUsd()).toBe(CHARGED * 2n);
});

test('a percentage that a price lacked is applied to the requests of its tier, late ones too', async () => {
  const price = { steps: [{ input: '2.5', output: '10' }], tierPercent: { priority: 200 } };
  const settle = { serviceTier: 'priority' };
  const late = uuidv7();
  await book(1);
  const [requestId = ''] = await book(1, { settle });
  await book(1, { requestId: late, mode: 'ABANDONED' });
  await book(1, { requestId: late, settle });
  const record = await server.ok(server.root, rest.getUsageRecord, {
    params: { ...params, requestId },
  });
  expect(record.serviceTier).toBe('priority');
  const done = await rerate({ price });
  expect(done).toMatchObject({ records: 3, changed: 2, price: { tierPercent: { priority: 200 } } });
  expect(await totalNanoUsd()).toBe(CHARGED * 5n);
  expect(await rerate({ price })).toMatchObject({ changed: 0 });
});

test('what was given back by hand stays given back', async () => {
  const [requestId = ''] = await book(1);
  await server.ok(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId },
    body: { costUsd: '-0.01', reason: 'goodwill' },
  });
  expect(await rerate()).toMatchObject({ changed: 1, differenceUsd: '0.0125' });
  expect(await totalNanoUsd()).toBe(CHARGED * 2n - 10_000_000n);
  await rerate({ price: { steps: [{ input: '1', output: '0' }] } });
  expect(await totalNanoUsd()).toBe(0n);
  expect(await rerate()).toMatchObject({ changed: 1 });
  expect(await totalNanoUsd()).toBe(CHARGED * 2n - 10_000_000n);
});

test('a batch killed at any statement leaves nothing; the run goes on where it stood', async () => {
  await book(7);
  const { id } = await create();
  expect(await rerateBatch(database.pool, 3)).toBe('MOVED');
  let statements = 1;
  while (await dies(statements)) {
    expect(await adjustments()).toHaveLength(3);
    statements += 1;
  }
  expect(statements).toBeGreaterThan(10);
  await workOff(3);
  const done = await server.ok(server.root, rest.getRerate, {
    params: { ...params, rerateId: id },
  });
  expect(done).toMatchObject({ status: 'DONE', records: 7, changed: 7, error: null });
  expect(await adjustments()).toHaveLength(7);
  expect(await totalNanoUsd()).toBe(CHARGED * 14n);
});

test('a run waits for what is being booked, and counts it in', async () => {
  const [requestId = ''] = await book(1);
  await create({ price: { steps: [{ input: '0', output: '0' }] } });
  const run = await inTransaction(database.pool, async (tx) => {
    const giveBack = {
      organisationId: tenant.organisationId,
      timeZone: 'UTC',
      requestId,
      differenceNanoUsd: -CHARGED,
      reason: 'all of it',
      createdBy: uuidv7(),
    };
    expect(await correct(tx, giveBack)).toMatchObject({ news: { kind: 'LEDGER' } });
    const running = rerateBatch(database.pool);
    await until(async () => {
      const { rowCount } = await database.pool.query('SELECT FROM pg_locks WHERE NOT granted');
      return (rowCount ?? 0) > 0;
    }, 'the wait for the lock');
    return { running };
  });
  expect(await run.running).toBe('MOVED');
  expect(await adjustments()).toEqual([]);
  expect(await totalNanoUsd()).toBe(0n);
});

test('replicas that run at the same time book each difference once', async () => {
  await book(20);
  const { id } = await create();
  await Promise.all([workOff(2), workOff(2), workOff(2)]);
  await workOff(2);
  const done = await server.ok(server.root, rest.getRerate, {
    params: { ...params, rerateId: id },
  });
  expect(done).toMatchObject({ status: 'DONE', records: 20, changed: 20 });
  expect(await totalNanoUsd()).toBe(CHARGED * 40n);
});

test('a batch that fails for reasons of its own is given up after a few times, and says why', async () => {
  await book(1);
  const { id } = await create();
  await database.pool.query(
    `UPDATE usage_rerate SET steps = jsonb_set(steps, '{0,fromInputTokens}', '3') WHERE id = $1`,
    [id],
  );
  await workOff();
  const failed = await server.ok(server.root, rest.getRerate, {
    params: { ...params, rerateId: id },
  });
  expect(failed).toMatchObject({ status: 'FAILED', changed: 0 });
  expect(failed.error).toContain('first step');
  // Another one can begin.
  await database.pool.query('UPDATE usage_rerate SET dry_run = true WHERE id = $1', [id]);
  expect(await rerate()).toMatchObject({ status: 'DONE', changed: 1 });
});

test('one at a time for each organisation', async () => {
  const { id } = await create();
  const refused = await server.refused(server.root, rest.createRerate, { params, body: body() });
  expect(refused).toMatchObject({ status: 409, path: 'organisationId' });
  await workOff();
  const { data } = await server.ok(server.root, rest.listRerates, {
    params,
    query: { status: 'DONE' },
  });
  expect(data.map((one) => one.id)).toEqual([id]);
});

test('what cannot be re-rated is refused by name', async () => {
  const later = new Date(Date.now() + HOUR_MS).toISOString();
  const long = new Date(START_MS - 400 * 24 * HOUR_MS).toISOString();
  for (const [values, path] of [
    [{ from: TO, to: FROM }, 'from'],
    [{ to: later }, 'to'],
    [{ from: long }, 'to'],
    [{ modelId: uuidv7() }, 'modelId'],
    [{ modelId: undefined }, 'modelId'],
  ] as const) {
    const refused = await server.refused(server.root, rest.createRerate, {
      params,
      body: body(values as Partial<Body>),
    });
    expect(refused).toMatchObject({ status: 422, path });
  }
  const rival = { organisationId: uuidv7() };
  const sent = { params: rival, body: body() };
  expect((await server.refused(server.root, rest.createRerate, sent)).status).toBe(404);
  expect((await server.refused(server.root, rest.listRerates, { params: rival })).status).toBe(404);
});

/** Whether a batch fails when its connection breaks at the nth statement. */
async function dies(statements: number): Promise<boolean> {
  const connect = database.pool.connect.bind(database.pool);
  let left = statements;
  const dying = Object.create(database.pool) as Pool;
  dying.connect = (async () => {
    const client = await connect();
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const wrapped = Object.create(client) as typeof client;
    wrapped.query = ((...args: unknown[]) => {
      left -= 1;
      if (left === 0) return Promise.reject(new Error('Connection terminated unexpectedly'));
      return query(...args);
    }) as typeof client.query;
    wrapped.release = (error) => client.release(error);
    return wrapped;
  }) as typeof database.pool.connect;
  try {
    await rerateBatch(dying, 3);
    return false;
  } catch (error) {
    expect(String(error)).toContain('Connection terminated');
    return true;
  }
}
