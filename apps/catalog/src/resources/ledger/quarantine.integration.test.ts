import { rest, shardOf } from '@tollgate/contracts';
import type { Entry__Output } from '@tollgate/contracts/node';
import { createLogger, createMetrics } from '@tollgate/kit';

import { createBacklogGauges, verifyLedger } from '../../ledger';
import { append } from '../../ledger/append/append';
import { LedgerQuarantine } from '../../ledger/append/ledger-quarantine.entity';
import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { entryOf, nextBatch, startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
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
});

async function setAside(entry: Entry__Output): Promise<string> {
  const batch = await nextBatch(database.pool, tenant, [entry]);
  await append(database.pool, { ...batch, quarantine: true, quarantineReason: 'bad luck' });
  return newest();
}

async function newest(): Promise<string> {
  const [row] = await database.orm.manager.find(LedgerQuarantine, {
    order: { id: 'DESC' },
    take: 1,
  });
  return row?.id ?? '';
}

const entry = (values: Parameters<typeof entryOf>[1] = {}) =>
  entryOf(chargedOf(tenant), { authorisedAtMs: Date.now(), ...values });
const params = (quarantineId: string) => ({ params: { quarantineId } });
const retry = (id: string) => server.call(server.root, rest.retryQuarantined, params(id));
const dismiss = (id: string) =>
  server.call(server.root, rest.dismissQuarantined, { ...params(id), body: { reason: 'a test' } });

test('what was set aside is listed by status, latest first, and shown with all it says', async () => {
  const first = entry();
  const ids = [await setAside(first), await setAside(entry())];
  await dismiss(ids[1] ?? '');
  const shard = shardOf(tenant.organisationId);
  const list = async (query: object) =>
    (await server.ok(server.root, rest.listQuarantine, { query: { shard, ...query } })).data
      .map(({ id }) => id)
      .filter((id) => ids.includes(id));
  expect(await list({})).toEqual(ids.toReversed());
  expect(await list({ status: 'OPEN' })).toEqual([ids[0]]);
  expect(await list({ status: 'DISCARDED' })).toEqual([ids[1]]);
  const one = await server.ok(server.root, rest.getQuarantined, params(ids[0] ?? ''));
  expect(one).toMatchObject({
    organisationId: tenant.organisationId,
    requestId: first.requestId,
    reason: 'bad luck',
    status: 'OPEN',
    entry: { mode: 'SETTLED', settle: { costNanoUsd: '1000' } },
    raw: null,
  });
});

test('a retry books the entry once, tells the counters and writes the trail', async () => {
  const id = await setAside(entry());
  const answers = await Promise.all([retry(id), retry(id)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect((await retry(id)).status).toBe(409);
  expect((await dismiss(id)).status).toBe(409);
  const one = await server.ok(server.root, rest.getQuarantined, params(id));
  expect(one).toMatchObject({ status: 'BOOKED', resolution: null });
  expect(one.resolvedBy).not.toBeNull();

  const { rows } = await database.pool.query(
    `SELECT limit_ids, rev > 0 AS raised FROM outbox_event
     WHERE organisation_id = $1 AND kind = 'LEDGER'`,
    [tenant.organisationId],
  );
  expect(rows).toEqual([{ limit_ids: expect.any(Array) as string[], raised: true }]);
  expect(rows[0]?.limit_ids.toSorted()).toEqual([tenant.budgetId, tenant.quotaId].toSorted());
  const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.listAuditEvents, {
    params: { organisationId: tenant.organisationId },
    query: { action: 'quarantine.retry' },
  });
  expect(data).toMatchObject([{ before: { status: 'OPEN' }, after: { status: 'BOOKED' } }]);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

test.each<[string, (one: Entry__Output) => Entry__Output]>([
  ['settle.outcome', (one) => ({ ...one, settle: { ...settleOf(one), outcome: 'GREAT' } })],
  ['out of range', (one) => ({ ...one, settle: { ...settleOf(one), latencyMs: 2 ** 40 } })],
  [
    'does not belong to shard',
    (one) => ({ ...one, subject: { ...subjectOf(one), organisationId: otherShard() } }),
  ],
])('a retry says what is still wrong: %s', async (what, spoil) => {
  const id = await setAside(spoil(entry()));
  const { status, body } = await retry(id);
  expect(status).toBe(422);
  const { error } = rest.errorBody.parse(body);
  expect(error.details[0]).toMatchObject({ path: 'entry' });
  expect(error.details[0]?.message).toContain(what);
  const one = await server.ok(server.root, rest.getQuarantined, params(id));
  expect(one).toMatchObject({ status: 'OPEN', resolvedAt: null });
});

function settleOf({ settle }: Entry__Output): NonNullable<Entry__Output['settle']> {
  if (settle === null) throw new Error('an entry of these tests has a settle');
  return settle;
}

function subjectOf({ subject }: Entry__Output): NonNullable<Entry__Output['subject']> {
  if (subject === null) throw new Error('an entry of these tests has a subject');
  return subject;
}

/** The id of an organisation in another shard. */
function otherShard(): string {
  const ids = Array.from({ length: 16 }, (_, n) =>
    `00000000-0000-7000-8000-${n}00000000000`.slice(0, 36),
  );
  return ids.find((id) => shardOf(id) !== shardOf(tenant.organisationId)) ?? '';
}

test('bytes that are no entry are shown, and never booked', async () => {
  const batch = await nextBatch(database.pool, tenant, []);
  for (const raw of [Buffer.from([0, 255]), Buffer.from('{"seq":1}'), Buffer.from('null')]) {
    const { prev } = await nextBatch(database.pool, tenant, []);
    await append(database.pool, { ...batch, prev, last: prev + 1, raw: [raw], quarantine: true });
    const id = await newest();
    const one = await server.ok(server.root, rest.getQuarantined, params(id));
    expect(one).toMatchObject({ entry: null, raw: raw.toString('base64'), requestId: null });
    const { status, body } = await retry(id);
    expect(status).toBe(422);
    expect(rest.errorBody.parse(body).error.details[0]?.message).toMatch(/cannot be/);
  }
});

test('what is dismissed keeps why, and is never booked', async () => {
  const id = await setAside(entry());
  expect((await dismiss(id)).body).toMatchObject({ status: 'DISCARDED', resolution: 'a test' });
  expect((await retry(id)).status).toBe(409);
  const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.listAuditEvents, {
    params: { organisationId: tenant.organisationId },
    query: { action: 'quarantine.dismiss' },
  });
  expect(data).toMatchObject([{ after: { resolution: 'a test' } }]);
});

test('a gauge counts those that wait', async () => {
  const metrics = createMetrics({ service: 'catalog' });
  const log = createLogger({ service: 'catalog', level: 'info', write: () => {} });
  const gauges = createBacklogGauges({ pool: database.pool, metrics, log });
  const read = async (): Promise<number> => {
    await gauges.refresh();
    const line = /^tollgate_ledger_quarantine_open\S* (\d+)$/m.exec(await metrics.text());
    return Number(line?.[1]);
  };
  const before = await read();
  const id = await setAside(entry());
  expect(await read()).toBe(before + 1);
  await dismiss(id);
  expect(await read()).toBe(before);
});
