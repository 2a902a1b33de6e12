import { rest } from '@tollgate/contracts';
import { startWebhookReceiver, type WebhookReceiver } from '@tollgate/simulator';
import type { z } from 'zod';

import { BUCKET, storageTarget, workerOf } from '../../exports/test-support/destinations';
import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let receiver: WebhookReceiver;
let secret = '';
let status: number | undefined;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
let made = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  receiver = await startWebhookReceiver({ secret: () => secret, fault: () => status });
});
afterAll(async () => {
  await server.stop();
  await receiver.stop();
  await databases.stop();
});
beforeEach(async () => {
  tenant = await createTenant(server, `acme-${(made += 1)}`);
  await database.pool.query('DELETE FROM export_destination');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  status = undefined;
  receiver.deliveries.length = 0;
});

type Create = z.input<typeof rest.exportDestinationCreate>;
const bodyOf = (over: Partial<Create> = {}): Create => ({
  name: 'warehouse',
  target: { type: 'WEBHOOK', url: receiver.url },
  records: ['USAGE', 'AUDIT'],
  ...over,
});
const s3Body = (over: object = {}): Create =>
  bodyOf({
    target: { ...storageTarget('https://s3.example.com'), ...over },
    secret: 'a-secret-access-key',
  });
const create = (over: Partial<Create> = {}) =>
  server.ok(admin, rest.createExportDestination, { params, body: bodyOf(over) });
const at = (exportDestinationId: string) => ({ ...params, exportDestinationId });
const update = (id: string, body: z.input<typeof rest.exportDestinationPatch>) =>
  server.ok(admin, rest.updateExportDestination, { params: at(id), body });
const refused = (body: Create) =>
  server.refused(admin, rest.createExportDestination, { params, body });

test('a generated secret is shown once, and signs what is delivered', async () => {
  const created = await create();
  expect(created.secret).toMatch(/^whsec_/);
  secret = created.secret ?? '';
  expect(created).toMatchObject({ status: 'ACTIVE', intervalSeconds: 5, maxRows: 1_000 });
  const shown = await server.ok(admin, rest.getExportDestination, { params: at(created.id) });
  expect(JSON.stringify(shown)).not.toContain(secret);
  await appendNext(database.pool, tenant, [entryOf(chargedOf(tenant))]);
  const worker = workerOf(database);
  await worker.drain();
  expect(receiver.deliveries.map(({ recordType }) => recordType).toSorted()).toEqual([
    'AUDIT',
    'USAGE',
  ]);
  const after = await server.ok(admin, rest.getExportDestination, { params: at(created.id) });
  expect(after.delivery).toMatchObject({ deliveredBatches: 2, failures: 0, lastError: null });
  const { data } = await server.ok(admin, rest.listExportDeliveries, { params: at(created.id) });
  expect(data.map(({ number }) => number)).toEqual([2, 1]);
  expect(data[0]).toMatchObject({ status: 'DELIVERED', attempts: 1, lastStatus: 204 });
  expect(data.map(({ id }) => id).toSorted()).toEqual(
    receiver.deliveries.map(({ id }) => id).toSorted(),
  );
});

test('a test delivers one sample and moves nothing', async () => {
  const { id, secret: own } = await create();
  secret = own ?? '';
  const test = () => server.ok(admin, rest.testExportDestination, { params: at(id) });
  expect(await test()).toMatchObject({ ok: true, status: 204, object: null });
  expect(receiver.deliveries).toMatchObject([
    { recordType: 'TEST', number: undefined, lines: [{ recordType: 'TEST', schemaVersion: 1 }] },
  ]);
  status = 500;
  expect(await test()).toMatchObject({
    ok: false,
    status: 500,
    message: 'The receiver answers with status 500.',
  });
  const { delivery } = await server.ok(admin, rest.getExportDestination, { params: at(id) });
  expect(delivery).toMatchObject({ failures: 0, deliveredBatches: 0 });
});

test('one that is created paused delivers nothing until it is active, and then what was written meanwhile', async () => {
  const created = await create({ records: ['USAGE'], status: 'PAUSED' });
  secret = created.secret ?? '';
  expect(created).toMatchObject({ status: 'PAUSED', delivery: { nextAttemptAt: null } });
  const entry = entryOf(chargedOf(tenant));
  await appendNext(database.pool, tenant, [entry]);
  await workerOf(database).drain();
  expect(receiver.deliveries).toEqual([]);
  await update(created.id, { status: 'ACTIVE' });
  await workerOf(database).drain();
  expect(receiver.deliveries.flatMap(({ lines }) => lines)).toMatchObject([
    { id: entry.requestId },
  ]);
});

test('a disabled destination is resumed by hand, at its position', async () => {
  const { id, secret: own } = await create({ records: ['USAGE'] });
  secret = own ?? '';
  const entry = entryOf(chargedOf(tenant));
  await appendNext(database.pool, tenant, [entry]);
  status = 410;
  await workerOf(database).drain();
  const disabled = await server.ok(admin, rest.getExportDestination, { params: at(id) });
  expect(disabled).toMatchObject({
    status: 'DISABLED',
    delivery: { failures: 1, nextAttemptAt: null, failingSince: expect.any(String) as unknown },
  });
  status = undefined;
  expect(await update(id, { status: 'ACTIVE' })).toMatchObject({
    status: 'ACTIVE',
    delivery: { failures: 0, failingSince: null },
  });
  await workerOf(database).drain();
  expect(receiver.deliveries.at(-1)?.lines).toMatchObject([{ id: entry.requestId }]);
});

test('a destination that is being delivered to is not taken twice by a change', async () => {
  const { id } = await create();
  const until = new Date(Date.now() + 60_000);
  await database.pool.query(
    'UPDATE export_destination SET lease = gen_random_uuid(), next_attempt_at = $1',
    [until],
  );
  const { delivery } = await update(id, { name: 'renamed' });
  expect(delivery.nextAttemptAt).toBe(until.toISOString());
});

test('changes go to the trail, deliveries and secrets do not', async () => {
  const { id } = await create();
  await update(id, { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, maxRows: 5 });
  await server.ok(admin, rest.deleteExportDestination, { params: at(id) });
  const query = { targetId: id };
  const { data } = await server.ok(admin, rest.listAuditEvents, { params, query });
  expect(data.map(({ action }) => action)).toEqual([
    'export-destination.delete',
    'export-destination.update',
    'export-destination.create',
  ]);
  expect(data[1]).toMatchObject({ before: { maxRows: 1_000 }, after: { maxRows: 5 } });
  expect(JSON.stringify(data)).not.toMatch(/whsec_|delivery|nextAttempt/);
});

test('an ETag covers the settings, and not how deliveries go', async () => {
  const { id } = await create();
  const tagOf = async () => {
    const { headers } = await server.call(admin, rest.getExportDestination, { params: at(id) });
    return headers.get('etag') ?? '';
  };
  const tag = await tagOf();
  await database.pool.query('UPDATE export_destination SET failures = 3, waiting_rows = 9');
  expect(await tagOf()).toBe(tag);
  await update(id, { name: 'renamed' });
  const stale = await server.refused(admin, rest.updateExportDestination, {
    params: at(id),
    body: { name: 'again' },
    headers: { 'if-match': tag },
  });
  expect(stale.status).toBe(412);
});

test.each<[string, () => Create, string]>([
  [
    'a private address',
    () => bodyOf({ target: { type: 'WEBHOOK', url: 'http://10.0.0.1/x' } }),
    'target.url',
  ],
  ['a private storage', () => s3Body({ endpoint: 'http://10.0.0.1:9000' }), 'target.endpoint'],
  [
    'a path in the endpoint',
    () => s3Body({ endpoint: 'https://s3.example.com/x' }),
    'target.endpoint',
  ],
  ['a bucket that is no name', () => s3Body({ bucket: '../x' }), 'target.bucket'],
  ['a prefix that leaves its folder', () => s3Body({ prefix: 'a/../b' }), 'target.prefix'],
  [
    'a storage without a secret',
    () => bodyOf({ target: storageTarget('https://s3.example.com') }),
    'secret',
  ],
  ['a secret that cannot sign', () => bodyOf({ secret: 'short' }), 'secret'],
  ['a kind twice', () => bodyOf({ records: ['USAGE', 'USAGE'] }), 'records'],
  ['no kind', () => bodyOf({ records: [] }), 'records'],
  ['more rows than a batch holds', () => bodyOf({ maxRows: 10_001 }), 'maxRows'],
])('%s is refused, naming the field', async (_, body, path) => {
  expect(await refused(body())).toMatchObject({ status: 422, path });
});

test('the secret of a storage stays with its access key, and the type with the destination', async () => {
  const { id } = await server.ok(admin, rest.createExportDestination, { params, body: s3Body() });
  const target = { ...storageTarget('https://s3.example.com'), accessKeyId: 'OTHER' };
  const refusal = (body: object) =>
    server.refused(admin, rest.updateExportDestination, { params: at(id), body });
  expect(await refusal({ target })).toMatchObject({ status: 422, path: 'secret' });
  expect(await update(id, { target, secret: 'another-key' })).toMatchObject({
    target: { accessKeyId: 'OTHER', bucket: BUCKET },
  });
  expect(await refusal({ target: { type: 'WEBHOOK', url: receiver.url } })).toMatchObject({
    status: 422,
    path: 'target.type',
  });
});

test('an owner has a limited number', async () => {
  for (let n = 0; n < rest.MAX_EXPORT_DESTINATIONS; n += 1) await create();
  expect(await refused(bodyOf())).toMatchObject({ status: 409 });
  const body = bodyOf();
  await server.ok(server.root, rest.createPlatformExportDestination, { body });
});

test('a kind that is added begins now, and one that is removed ends', async () => {
  const { id, secret: own } = await create({ records: ['USAGE'] });
  secret = own ?? '';
  await appendNext(database.pool, tenant, [entryOf(chargedOf(tenant))]);
  await update(id, { records: ['AUDIT'] });
  await workerOf(database).drain();
  expect(receiver.deliveries.map(({ recordType }) => recordType)).toEqual(['AUDIT']);
  expect(receiver.deliveries[0]?.lines).toMatchObject([{ action: 'export-destination.update' }]);
});
