import { uuidv7 } from '@tollgate/kit';
import { startWebhookReceiver, type WebhookReceiver } from '@tollgate/simulator';
import type { PoolClient } from 'pg';

import { inTransaction, transactionOf } from '../db';
import { correct, enforceRetention } from '../ledger';
import type { Database } from '../schema';
import {
  appendNext,
  createMcpServer,
  createTenant,
  entryOf,
  mcpEntryOf,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../test-support';
import { noteRemovedRows } from './removed-rows';
import {
  createDestination,
  WEBHOOK_SECRET,
  webhookTarget,
  workerOf,
  type Worker,
} from './test-support/destinations';
import { alignTransactionCounter, readCounter } from './transaction-counter';

let databases: TestDatabases;
let database: Database & { url: string };
let receiver: WebhookReceiver;
let worker: Worker;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  receiver = await startWebhookReceiver({ secret: () => WEBHOOK_SECRET });
});
afterAll(async () => {
  await receiver.stop();
  await databases.stop();
});
beforeEach(async () => {
  database = await databases.fresh();
  worker = workerOf(database);
  tenant = await createTenant(database.orm);
  receiver.deliveries.length = 0;
});

const create = (values: Partial<Parameters<typeof createDestination>[1]> = {}) =>
  createDestination(
    database,
    { organisationId: tenant.organisationId, target: webhookTarget(receiver.url), ...values },
    worker.clock.now(),
  );
const book = async (of: Tenant = tenant, values = {}): Promise<string> => {
  const entry = entryOf(of, values);
  await appendNext(database.pool, of, [entry]);
  return entry.requestId;
};
const received = (): string[] =>
  receiver.deliveries.flatMap(({ lines }) => lines.map(({ id }) => id));
/** One round: whatever is due, an interval later. */
const round = async () => {
  worker.clock.advance(1_000);
  return worker.drain();
};
const destinationOf = async (id: string) => {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    'SELECT * FROM export_destination WHERE id = $1',
    [id],
  );
  return rows[0] ?? {};
};

const open: PoolClient[] = [];
afterEach(() => {
  for (const client of open.splice(0)) client.release(true);
});

/** Inserts an audit event within a transaction that stays open. */
async function openTransaction(): Promise<{ id: string; commit(): Promise<void> }> {
  const client = await database.pool.connect();
  open.push(client);
  const id = uuidv7();
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO audit_event (id, organisation_id, actor_kind, action, target_type)
     VALUES ($1, $2, 'SYSTEM', 'test.run', 'test')`,
    [id, tenant.organisationId],
  );
  return {
    id,
    commit: async () => {
      await client.query('COMMIT');
    },
  };
}

test('rows of transactions that commit in reversed order are all delivered, once', async () => {
  await create({ records: ['AUDIT'] });
  const first = await openTransaction();
  const second = await openTransaction();
  const third = await openTransaction();
  await third.commit();
  await round();
  // The two before it are open, so rows may still appear before it.
  expect(received()).toEqual([]);
  await second.commit();
  await round();
  expect(received()).toEqual([]);
  await first.commit();
  await round();
  expect(received()).toEqual([first.id, second.id, third.id]);
  await round();
  expect(received()).toHaveLength(3);
});

test('what is booked before is left out, or delivered first from a date on', async () => {
  const nowMs = worker.clock.now();
  const day = 86_400_000;
  const at = (ms: number) => ({ requestId: uuidv7(ms), authorisedAtMs: ms, closedAtMs: ms + 500 });
  await book(tenant, at(nowMs - 9 * day));
  const before = [await book(tenant, at(nowMs - 2 * day)), await book(tenant, at(nowMs - day))];
  // Rows of a release without the column have no transaction.
  await database.pool.query('UPDATE usage_record SET written_xid = NULL WHERE id = $1', [
    before[1],
  ]);
  await create({ name: 'from now on' });
  await worker.drain();
  expect(received()).toEqual([]);
  await create({ name: 'since', startFrom: new Date(nowMs - 3 * day), maxRows: 1 });
  const after = await book();
  await round();
  expect(received().filter((id) => id !== after)).toEqual(before);
  expect(received().filter((id) => id === after)).toHaveLength(2);
});

test('an organisation gets its own rows, the platform those of all', async () => {
  const rival = await createTenant(database.orm);
  await create();
  await create({ organisationId: null, name: 'platform' });
  const [own, other] = [await book(), await book(rival)];
  await round();
  const lines = receiver.deliveries.map(({ lines }) => lines.map(({ id }) => id).toSorted());
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual([own]);
  expect(lines).toContainEqual([own, other].toSorted());
});

test('rows of many others are passed over in bounded steps', async () => {
  const rival = await createTenant(database.orm);
  await create();
  for (let n = 0; n < 3; n += 1) {
    await appendNext(
      database.pool,
      rival,
      Array.from({ length: 400 }, () => entryOf(rival)),
    );
  }
  const own = await book();
  await round();
  expect(received()).toEqual([own]);
});

test('a corrected request arrives as a line of its own, and the lines add up', async () => {
  await create({ records: ['USAGE', 'ADJUSTMENT'] });
  const requestId = await book();
  await round();
  await database.orm.transaction(async (db) => {
    await correct(await transactionOf(db), {
      organisationId: tenant.organisationId,
      timeZone: 'UTC',
      requestId,
      differenceNanoUsd: -400n,
      reason: 'billed twice',
      createdBy: tenant.userId,
    });
  });
  await round();
  const lines = receiver.deliveries.flatMap((delivery) => delivery.lines);
  expect(lines).toMatchObject([
    { recordType: 'USAGE', schemaVersion: 1, id: requestId, costUsd: '0.000001', tokensIn: 11 },
    { recordType: 'ADJUSTMENT', requestId, kind: 'CORRECTION', costUsd: '-0.0000004', requests: 0 },
  ]);
});

test('requests to MCP servers come as usage and with what only they have', async () => {
  const serverId = await createMcpServer(database.orm, tenant);
  await create({ records: ['USAGE', 'MCP_USAGE'] });
  const entry = mcpEntryOf(tenant, serverId);
  await appendNext(database.pool, tenant, [entry, entryOf(tenant)]);
  await round();
  const lines = receiver.deliveries.flatMap((delivery) => delivery.lines);
  expect(lines).toHaveLength(3);
  expect(lines.filter(({ id }) => id === entry.requestId)).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        recordType: 'USAGE',
        mcp: expect.objectContaining({ name: 'search' }) as unknown,
      }),
      expect.objectContaining({ recordType: 'MCP_USAGE', isError: false, requestBytes: 120 }),
    ]) as never,
  );
});

test('a batch ends at its rows, and a full one is followed at once', async () => {
  await create({ maxRows: 3 });
  await appendNext(
    database.pool,
    tenant,
    Array.from({ length: 7 }, () => entryOf(tenant)),
  );
  await worker.drain();
  expect(receiver.deliveries.map(({ lines, number }) => [number, lines.length])).toEqual([
    [1, 3],
    [2, 3],
    [3, 1],
  ]);
});

describe('retention', () => {
  const remove = () =>
    enforceRetention(database.pool, worker.clock, { beforeRemoval: noteRemovedRows });
  const old = () => {
    const ms = worker.clock.now() - 40 * 86_400_000;
    return { requestId: uuidv7(ms), authorisedAtMs: ms, closedAtMs: ms + 500 };
  };
  const removedOf = async (id: string) => {
    const { rows } = await database.pool.query<{ record: string; removed_rows: bigint }>(
      'SELECT record, removed_rows FROM export_cursor WHERE destination_id = $1 ORDER BY record',
      [id],
    );
    return rows.map(({ record, removed_rows }) => [record, Number(removed_rows)]);
  };

  beforeEach(async () => {
    await database.pool.query('UPDATE organisation SET retention_days = 30');
  });

  test('counts what it removes before it is exported, and only that', async () => {
    const own = await create({ records: ['USAGE', 'ADJUSTMENT'], maxRows: 2 });
    const platform = await create({ organisationId: null });
    const [first] = [await book(tenant, old()), await book(tenant, old())];
    worker.clock.advance(1_000);
    // The batch is fixed and its receiver away: its rows are kept with it.
    await database.pool.query(
      `UPDATE export_destination SET target = target || '{"url":"http://127.0.0.1:9/"}'`,
    );
    await worker.drain();
    const lost = await book(tenant, old());
    await database.pool.query(
      `INSERT INTO usage_adjustment (id, request_id, organisation_id, api_key_id, authorised_at, kind,
         reason, cost_nano_usd, requests, errors, tokens_in, tokens_out, upstream_ms)
       SELECT $1, id, organisation_id, api_key_id, authorised_at, 'CORRECTION', '', 0, 0, 0, 0, 0, 0
       FROM usage_record WHERE id = $2`,
      [uuidv7(), lost],
    );
    await remove();
    expect(await removedOf(own)).toEqual([
      ['ADJUSTMENT', 1],
      ['USAGE', 1],
    ]);
    expect(await removedOf(platform)).toEqual([['USAGE', 1]]);
    await database.pool.query(
      `UPDATE export_destination SET next_attempt_at = now() - interval '1 h',
      target = target || jsonb_build_object('url', $1::text)`,
      [receiver.url],
    );
    await worker.drain();
    expect(received()).toContain(first);
    expect(received()).not.toContain(lost);
  });

  test('counts nothing that was delivered, nor what is not asked for', async () => {
    const own = await create();
    const paused = await create({ records: ['AUDIT'], status: 'PAUSED' });
    await book(tenant, old());
    await round();
    expect(received()).toHaveLength(1);
    await remove();
    expect(await removedOf(own)).toEqual([['USAGE', 0]]);
    expect(await removedOf(paused)).toEqual([['AUDIT', 0]]);
  });
});

describe('a database that was loaded from a dump', () => {
  /** As after a dump: stored numbers are far above the counter of this server. */
  const goBack = () =>
    database.pool.query(`UPDATE usage_record SET written_xid = written_xid + 1000000;
      UPDATE export_cursor SET start_xid = start_xid + 1000000, xid = xid + 1000000`);

  test('stops the export, saying why, instead of losing rows', async () => {
    const id = await create();
    await book();
    await round();
    await goBack();
    await book();
    expect(await round()).toEqual(['FAILED']);
    expect(await destinationOf(id)).toMatchObject({
      failures: 1,
      last_error: expect.stringContaining('transaction counter') as unknown,
    });
  });

  test('is aligned at the next start, so that new rows follow the old ones', async () => {
    await create();
    await book();
    await round();
    await goBack();
    await Promise.all([1, 2].map(() => alignTransactionCounter(database.pool, worker.deps.log)));
    const { newest, next } = await inTransaction(database.pool, readCounter);
    expect(next).toBeGreaterThan(newest);
    const id = await book();
    await round();
    expect(received()).toHaveLength(2);
    expect(received()[1]).toBe(id);
    const logged = worker.logs.filter((line) => line.includes('loaded from a dump'));
    expect(logged).toHaveLength(1);
  });
});
