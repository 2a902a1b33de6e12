import { createAddressRules, parseKeyRing } from '@tollgate/contracts/node';
import {
  startStorage,
  startWebhookReceiver,
  type StorageServer,
  type WebhookReceiver,
} from '@tollgate/simulator';

import { TEST_KEY_RING } from '../rest/test-support';
import type { Database } from '../schema';
import { rotateSecrets } from '../secrets';
import {
  appendNext,
  createTenant,
  entryOf,
  startTestDatabases,
  type Tenant,
  type TestDatabases,
} from '../test-support';
import { DISABLE_AFTER_MS, exportNext, retryAfterMs } from './deliver';
import { measureNext } from './measure';
import {
  BUCKET,
  createDestination,
  STORAGE_KEY,
  storageTarget,
  WEBHOOK_SECRET,
  webhookTarget,
  workerOf,
  type Worker,
} from './test-support/destinations';

type WebhookFault = Parameters<typeof startWebhookReceiver>[0]['fault'];
type StorageFault = Parameters<typeof startStorage>[0]['fault'];

let databases: TestDatabases;
let database: Database & { url: string };
let receiver: WebhookReceiver;
let storage: StorageServer;
let webhookFault: WebhookFault;
let storageFault: StorageFault;
let worker: Worker;
let tenant: Tenant;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  receiver = await startWebhookReceiver({
    secret: () => WEBHOOK_SECRET,
    fault: (delivery) => webhookFault?.(delivery),
  });
  storage = await startStorage({
    key: STORAGE_KEY,
    bucket: BUCKET,
    fault: (name) => storageFault?.(name),
  });
});
afterAll(async () => {
  await receiver.stop();
  await storage.stop();
  await databases.stop();
});
beforeEach(async () => {
  await database.pool.query('DELETE FROM export_destination');
  worker = workerOf(database);
  tenant = await createTenant(database.orm);
  webhookFault = storageFault = undefined;
  receiver.deliveries.length = 0;
});

const create = (values: Partial<Parameters<typeof createDestination>[1]> = {}) =>
  createDestination(
    database,
    { organisationId: tenant.organisationId, target: webhookTarget(receiver.url), ...values },
    worker.clock.now(),
  );
const book = async (count = 1): Promise<string[]> => {
  const entries = Array.from({ length: count }, () => entryOf(tenant));
  await appendNext(database.pool, tenant, entries);
  return entries.map(({ requestId }) => requestId);
};
const rowOf = async (table: string, id: string, column = 'id') => {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `SELECT * FROM ${table} WHERE ${column} = $1`,
    [id],
  );
  return rows[0] ?? {};
};
const tooLate = (): number => worker.clock.now() + DISABLE_AFTER_MS;

test('a batch that was delivered before the worker died comes again, with the same bytes', async () => {
  const id = await create();
  const ids = await book(3);
  // The receiver has the batch, and the worker dies before it notes that.
  let died = (): void => {};
  const dead = new Promise<void>((resolve) => {
    died = resolve;
  });
  webhookFault = () => {
    died();
    return 'SILENT';
  };
  void exportNext(worker.deps).catch(() => undefined);
  await dead;
  webhookFault = undefined;
  await database.pool.query('UPDATE usage_record SET model_name = $1', ['renamed']);
  const other = workerOf(database);
  expect(await exportNext(other.deps)).toBeUndefined();
  other.clock.advance(3_600_000);
  expect(await other.drain()).toContain('DELIVERED');
  const [first, second] = receiver.deliveries;
  expect(receiver.deliveries).toHaveLength(2);
  expect(second?.id).toBe(first?.id);
  expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true);
  expect(second?.lines.map((line) => line.id)).toEqual(ids);
  expect(await rowOf('export_batch', id, 'destination_id')).toMatchObject({
    status: 'DELIVERED',
    attempts: 2,
    payload: null,
  });
});

test('a worker whose lease went to another notes nothing, and the batch comes again', async () => {
  const id = await create();
  await book();
  webhookFault = async () => {
    await database.pool.query('UPDATE export_destination SET lease = gen_random_uuid()');
    return undefined;
  };
  expect(await exportNext(worker.deps)).toBe('LOST');
  expect(await rowOf('export_batch', id, 'destination_id')).toMatchObject({ status: 'PENDING' });
  webhookFault = undefined;
  worker.clock.advance(3_600_000);
  expect(await exportNext(worker.deps)).toBe('DELIVERED');
  expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(1);
});

test('catalogs never deliver at once for a destination, and skip nothing', async () => {
  await create({ maxRows: 2 });
  const ids = await book(21);
  let inFlight = 0;
  let most = 0;
  webhookFault = async () => {
    most = Math.max(most, (inFlight += 1));
    // Long enough for the others to ask for work.
    for (const other of workers) expect(await exportNext(other.deps)).toBeUndefined();
    inFlight -= 1;
    return undefined;
  };
  const workers = [workerOf(database), workerOf(database)];
  await Promise.all(Array.from({ length: 3 }, () => workerOf(database).drain()));
  expect(most).toBe(1);
  expect(receiver.deliveries.map(({ number }) => number)).toEqual(
    Array.from({ length: 11 }, (_, at) => at + 1),
  );
  expect(receiver.deliveries.flatMap(({ lines }) => lines.map(({ id }) => id))).toEqual(
    ids.toSorted(),
  );
});

describe('a destination that fails', () => {
  test('is tried later and later, with the same batch, and shows why', async () => {
    const id = await create();
    await book();
    webhookFault = () => 503;
    expect(await exportNext(worker.deps)).toBe('FAILED');
    await book();
    expect(await rowOf('export_destination', id)).toMatchObject({
      failures: 1,
      last_error: 'The receiver answers with status 503.',
      lease: null,
    });
    worker.clock.advance(retryAfterMs(1) - 1);
    expect(await exportNext(worker.deps)).toBeUndefined();
    worker.clock.advance(1);
    expect(await exportNext(worker.deps)).toBe('FAILED');
    worker.clock.advance(retryAfterMs(2));
    webhookFault = undefined;
    expect(await exportNext(worker.deps)).toBe('DELIVERED');
    expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(1);
    expect(await rowOf('export_destination', id)).toMatchObject({
      failures: 0,
      failing_since: null,
    });
    expect(await exportNext(worker.deps)).toBe('DELIVERED');
    expect(receiver.deliveries.at(-1)?.number).toBe(2);
  });

  test('shows what waits, how old it is, and counts on while it is paused', async () => {
    const id = await create({ maxRows: 2 });
    await book(5);
    webhookFault = () => 500;
    await exportNext(worker.deps);
    expect(await measureNext(database.pool, worker.clock)).toBe(true);
    expect(await measureNext(database.pool, worker.clock)).toBe(false);
    expect(await rowOf('export_destination', id)).toMatchObject({ waiting_rows: 5 });
    await database.pool.query(`UPDATE export_destination SET status = 'PAUSED'`);
    await book(1);
    worker.clock.advance(30_000);
    await measureNext(database.pool, worker.clock);
    expect(await rowOf('export_destination', id)).toMatchObject({
      waiting_rows: 6,
      waiting_since: expect.any(Date) as unknown,
    });
  });

  test('is disabled after a week, said in the log and in the trail, and keeps its batch', async () => {
    const id = await create();
    const ids = await book();
    webhookFault = () => 500;
    await exportNext(worker.deps);
    worker.clock.advance(tooLate() - worker.clock.now());
    await exportNext(worker.deps);
    expect(await rowOf('export_destination', id)).toMatchObject({ status: 'DISABLED' });
    expect(worker.logs.filter((line) => line.includes('"error"')).join()).toContain('disabled');
    const { rows } = await database.pool.query(
      `SELECT organisation_id, details FROM audit_event WHERE action = 'export-destination.disable'`,
    );
    expect(rows).toMatchObject([
      { organisation_id: tenant.organisationId, details: { after: { status: 'DISABLED' } } },
    ]);
    worker.clock.advance(DISABLE_AFTER_MS);
    expect(await exportNext(worker.deps)).toBeUndefined();
    webhookFault = undefined;
    await database.pool.query(`UPDATE export_destination SET status = 'ACTIVE'`);
    await exportNext(worker.deps);
    expect(receiver.deliveries.at(-1)?.lines.map((line) => line.id)).toEqual(ids);
  });

  test('that wants no more, by status 410, is disabled at once', async () => {
    const id = await create();
    await book();
    webhookFault = () => 410;
    await exportNext(worker.deps);
    expect(await rowOf('export_destination', id)).toMatchObject({ status: 'DISABLED' });
  });

  test('that a private address hides is told so, and gets nothing', async () => {
    const id = await create();
    await book();
    const addressRules = createAddressRules({ allowed: [] });
    expect(await exportNext({ ...worker.deps, addressRules })).toBe('FAILED');
    expect((await rowOf('export_destination', id))['last_error']).toContain(
      'UPSTREAM_ALLOWED_CIDRS',
    );
    expect(receiver.deliveries).toHaveLength(0);
  });
});

test('the secret is opened with either key during a rotation, and the new one after it', async () => {
  await create();
  const renewed = Buffer.alloc(32, 9).toString('base64');
  const { keys, currentId } = TEST_KEY_RING;
  const both = {
    currentId: 'renewed',
    keys: new Map([...parseKeyRing(`renewed:${renewed}`).keys, ...keys]),
  };
  await book();
  expect(await exportNext(workerOf(database, both).deps)).toBe('DELIVERED');
  expect(await rotateSecrets(database.pool, both)).toMatchObject({ keyId: 'renewed' });
  const later = workerOf(database, parseKeyRing(`renewed:${renewed}`));
  later.clock.advance(1_000);
  await book();
  expect(await later.drain()).toContain('DELIVERED');
  const old = workerOf(database);
  old.clock.advance(3_600_000);
  await book();
  expect(await exportNext(old.deps)).toBe('FAILED');
  expect(old.logs.join()).toContain('cannot be opened');
  expect(currentId).not.toBe('renewed');
});

describe('storage', () => {
  const names = (): string[] =>
    [...storage.objects.keys()].filter((name) => name.startsWith(prefix));
  let prefix = '';
  let made = 0;
  beforeEach(() => {
    prefix = `run-${(made += 1)}`;
    storage.refusals.length = 0;
  });
  const ofStorage = (over: object = {}) =>
    create({ target: { ...storageTarget(storage.url, prefix), ...over } });

  test('gets one object for each batch, with a name that says its day and number', async () => {
    await ofStorage();
    const ids = await book(2);
    expect(await worker.drain()).toEqual(['DELIVERED']);
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
    const [name = ''] = names();
    expect(name).toMatch(
      new RegExp(`^${prefix}/usage/${day}/000000000001-[0-9a-f-]{36}\\.ndjson\\.gz$`),
    );
    expect(storage.lines().map(({ id }) => id)).toEqual(expect.arrayContaining(ids) as unknown);
    expect(storage.refusals).toEqual([]);
  });

  test.each<[string, ReturnType<NonNullable<StorageFault>>, RegExp]>([
    ['that forbids', 403, /status 403, AccessDenied\.$/],
    ['that is overloaded', 503, /status 503, SlowDown\.$/],
    ['that redirects', 301, /redirects are not followed/],
    ['that closes the connection', 'CUT', /closed the connection/],
    ['whose answer is lost', 'LOST', /closed the connection/],
    ['whose answer ends in the middle', 'HALF', /closed the connection/],
  ])('%s gets the same object again', async (_what, fault, message) => {
    const id = await ofStorage();
    const ids = await book();
    storageFault = () => fault;
    expect(await exportNext(worker.deps)).toBe('FAILED');
    expect((await rowOf('export_destination', id))['last_error']).toMatch(message);
    storageFault = undefined;
    worker.clock.advance(retryAfterMs(1));
    expect(await exportNext(worker.deps)).toBe('DELIVERED');
    const [name = ''] = names();
    expect(names()).toHaveLength(1);
    expect(storage.writes.get(name)).toBe(fault === 'LOST' || fault === 'HALF' ? 2 : 1);
    expect(storage.lines().map((line) => line.id)).toContain(ids[0]);
  });

  test('with another secret key refuses the signature', async () => {
    const id = await ofStorage({ region: 'us-east-1' });
    await book();
    expect(await exportNext(worker.deps)).toBe('FAILED');
    expect((await rowOf('export_destination', id))['last_error']).toContain(
      'AuthorizationHeaderMalformed',
    );
  });
});
