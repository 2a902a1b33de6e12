import { rest } from '@tollgate/contracts';
import { hashApiKey, type RequestBodies__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { createKeepBodies } from '../../bodies';
import { resolveKey } from '../../directory/resolve-key';
import {
  bookRecord,
  createTenant,
  startRest,
  TEST_KEY_RING,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import { startHousekeeping, type Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

const HOUR_MS = 3_600_000;
const DAY_BYTES = 1_000_000;

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
beforeEach(async () => {
  tenant = await createTenant(server, `acme-${String((made += 1))}`);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const params = (of = tenant) => ({ organisationId: of.organisationId });
const admin = () => tenant.callers.ORG_ADMIN;
const ON = { keepRequestBodies: true, keepAnswerBodies: true };

async function settings(body: object, who = admin()): Promise<void> {
  await server.ok(who, rest.updateSettings, { params: params(), body });
}

function keeper(over: { allowed?: boolean; dayBytes?: number } = {}) {
  return createKeepBodies({
    pool: database.pool,
    clock: server.clock,
    keyRing: TEST_KEY_RING,
    allowed: true,
    dayBytes: DAY_BYTES,
    ...over,
  });
}

const text = (given: string) => ({ text: given, leftOut: '', partial: false });

function bodies(requestId: string, over: Partial<RequestBodies__Output> = {}) {
  return {
    requestId,
    organisationId: tenant.organisationId,
    atMs: server.clock.now(),
    request: text('{"prompt":"the secret plan"}'),
    answer: text('{"text":"the other plan"}'),
    masked: [{ label: 'EMAIL', count: 2 }],
    ...over,
  };
}

const booked = () => bookRecord(database.orm, tenant, server.clock.now());
const at = (requestId: string, of = tenant) => ({ params: { ...params(of), requestId } });
const look = (requestId: string, who = admin()) => server.ok(who, rest.lookAtBodies, at(requestId));

async function rowsOf(id: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>(
    'SELECT count(*) FROM kept_body WHERE id = $1',
    [id],
  );
  return Number(rows[0]?.count);
}

const houseDeps = () => ({
  pool: database.pool,
  log: createLogger({ service: 'test', level: 'error', write: () => undefined }),
  clock: server.clock,
});

/** The first round of it. */
async function keepHouse(): Promise<void> {
  const house = await startHousekeeping(houseDeps());
  await house.stop();
}

async function waitsForLock(): Promise<void> {
  for (;;) {
    const { rowCount } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    if (rowCount !== 0) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The bytes of the day are those of the rows. */
async function expectDayCounted(): Promise<void> {
  const { rows } = await database.pool.query<{ same: boolean }>(
    `SELECT d.bytes = (SELECT sum(octet_length(secret_ciphertext)) FROM kept_body b
       WHERE b.organisation_id = d.organisation_id) AS same
     FROM kept_body_day d WHERE organisation_id = $1`,
    [tenant.organisationId],
  );
  expect(rows).toEqual([{ same: true }]);
}

test('nothing is kept unless the organisation says so, and each body as it says', async () => {
  const [off, requests, both] = [await booked(), await booked(), await booked()];
  expect(await keeper()([bodies(off)])).toEqual({ kept: 0, dayFull: 0 });
  await settings({ keepRequestBodies: true });
  expect(await keeper()([bodies(requests)])).toEqual({ kept: 1, dayFull: 0 });
  await settings(ON);
  expect(await keeper()([bodies(both)])).toEqual({ kept: 2, dayFull: 0 });
  expect(await rowsOf(off)).toBe(0);
  expect(await server.ok(admin(), rest.getKeptBodies, at(off))).toMatchObject({
    request: { kept: false, leftOut: null },
    keptAt: null,
  });
  expect(await look(requests)).toEqual({ request: '{"prompt":"the secret plan"}', answer: null });
  expect(await look(both)).toEqual({
    request: '{"prompt":"the secret plan"}',
    answer: '{"text":"the other plan"}',
  });
});

test('the row has no text of a body, and every row its own nonce', async () => {
  await settings(ON);
  const ids = [await booked(), await booked()];
  await keeper()(ids.map((id) => bodies(id)));
  const { rows } = await database.pool.query<{ row: string; secret_nonce: Buffer; size: number }>(
    `SELECT kept_body::text AS row, secret_nonce, octet_length(secret_ciphertext) AS size
      FROM kept_body WHERE id = ANY($1::uuid[])`,
    [ids],
  );
  expect(rows).toHaveLength(2);
  for (const plain of ['secret plan', 'other plan', 'prompt']) {
    for (const { row } of rows) {
      expect(row).not.toContain(plain);
      expect(row).not.toContain(Buffer.from(plain).toString('hex'));
    }
  }
  expect(rows[0]?.secret_nonce.equals(rows[1]?.secret_nonce ?? Buffer.alloc(0))).toBe(false);
});

test('content that is moved to another request cannot be opened', async () => {
  await settings(ON);
  const [one, other] = [await booked(), await booked()];
  await keeper()([bodies(one), bodies(other)]);
  await database.pool.query(
    `UPDATE kept_body t SET secret_ciphertext = s.secret_ciphertext, secret_nonce = s.secret_nonce,
      secret_tag = s.secret_tag FROM kept_body s WHERE s.id = $1 AND t.id = $2`,
    [one, other],
  );
  expect(await server.refused(admin(), rest.lookAtBodies, at(other))).toMatchObject({
    status: 500,
  });
});

test('every look is in the audit trail before the bodies are sent', async () => {
  await settings(ON);
  const requestId = await booked();
  await keeper()([bodies(requestId)]);
  const trail = async () => {
    const query = { action: 'usage.look_at_bodies', targetId: requestId };
    return (await server.ok(admin(), rest.listAuditEvents, { params: params(), query })).data;
  };
  await server.ok(admin(), rest.getKeptBodies, at(requestId));
  expect(await trail()).toEqual([]);
  await look(requestId);
  await look(requestId);
  expect(await trail()).toHaveLength(2);
  expect((await trail())[0]).toMatchObject({
    actor: { id: tenant.userIds.ORG_ADMIN },
    target: { type: 'usage_record', id: requestId },
  });
  expect(JSON.stringify(await trail())).not.toContain('plan');
  // A trail that cannot be written shows nothing.
  await database.pool.query('ALTER TABLE audit_event ADD CONSTRAINT shut CHECK (false) NOT VALID');
  const refused = await server.refused(admin(), rest.lookAtBodies, at(requestId));
  await database.pool.query('ALTER TABLE audit_event DROP CONSTRAINT shut');
  expect(refused.status).toBe(500);
  expect(JSON.stringify(refused)).not.toContain('plan');
});

test('only administrators of the organisation look, and operators only if it lets them', async () => {
  await settings(ON);
  const requestId = await booked();
  await keeper()([bodies(requestId)]);
  const { MANAGER: manager, USER: user } = tenant.callers;
  const refusal = (who: typeof manager, of = tenant) =>
    server.refused(who, rest.lookAtBodies, at(requestId, of));
  expect(await refusal(manager)).toMatchObject({ status: 403 });
  expect(await refusal(user)).toMatchObject({ status: 403 });
  expect(await refusal(server.root)).toMatchObject({ status: 403 });
  expect(await server.ok(server.root, rest.getKeptBodies, at(requestId))).toMatchObject({
    mayLook: false,
  });
  // An operator switches keeping on in the open, and never lets operators look.
  const grant = { params: params(), body: { keptBodiesForOperators: true } };
  expect(await server.refused(server.root, rest.updateSettings, grant)).toMatchObject({
    status: 403,
  });
  await settings({ keptBodiesForOperators: true });
  expect(await look(requestId, server.root)).toMatchObject({ answer: expect.any(String) });
  const other = await createTenant(server, `other-${String(made)}`);
  expect(
    await server.refused(other.callers.ORG_ADMIN, rest.lookAtBodies, at(requestId, other)),
  ).toMatchObject({ status: 404 });
  expect(await refusal(other.callers.ORG_ADMIN)).toMatchObject({ status: 404 });
});

test('an operator who switches keeping on is in the trail of the organisation', async () => {
  await settings({ keepAnswerBodies: true }, server.root);
  const query = { action: 'organisation.update' };
  const { data } = await server.ok(admin(), rest.listAuditEvents, { params: params(), query });
  expect(data[0]).toMatchObject({
    before: { keepAnswerBodies: false },
    after: { keepAnswerBodies: true },
  });
});

test('bodies end with their days, also before they are removed', async () => {
  await settings({ ...ON, keptBodiesDays: 3 });
  const requestId = await booked();
  await keeper()([bodies(requestId, { atMs: server.clock.now() - 49 * HOUR_MS })]);
  expect(await look(requestId)).toMatchObject({ request: expect.any(String) });
  await settings({ keptBodiesDays: 2 });
  expect(await server.refused(admin(), rest.lookAtBodies, at(requestId))).toMatchObject({
    status: 404,
  });
  expect(await rowsOf(requestId)).toBe(1);
  await keepHouse();
  expect(await rowsOf(requestId)).toBe(0);
});

test('a day has a limit, and what is beyond it says so', async () => {
  await settings(ON);
  const [first, second] = [await booked(), await booked()];
  const keep = keeper({ dayBytes: 100 });
  await keep([bodies(first)]);
  expect(await keep([bodies(second)])).toEqual({ kept: 0, dayFull: 2 });
  expect(await server.ok(admin(), rest.getKeptBodies, at(first))).toMatchObject({
    request: { kept: true },
  });
  expect(await server.ok(admin(), rest.getKeptBodies, at(second))).toMatchObject({
    request: { kept: false, leftOut: 'DAY_FULL' },
    answer: { kept: false, leftOut: 'DAY_FULL' },
  });
});

test('a report that is sent again stores nothing twice and counts nothing twice', async () => {
  await settings(ON);
  const requestId = await booked();
  expect(await keeper()([bodies(requestId)])).toMatchObject({ kept: 2 });
  expect(await keeper()([bodies(requestId, { request: text('changed') })])).toMatchObject({
    kept: 2,
  });
  expect(await look(requestId)).toMatchObject({ request: '{"prompt":"the secret plan"}' });
  await expectDayCounted();
});

test('reports that overtake each other count the bytes of the day once', async () => {
  await settings(ON);
  const ids = [await booked(), await booked()];
  const report = () => keeper()(ids.map((id) => bodies(id)));
  expect(await Promise.all([report(), report(), report()])).toEqual([
    { kept: 4, dayFull: 0 },
    { kept: 4, dayFull: 0 },
    { kept: 4, dayFull: 0 },
  ]);
  await expectDayCounted();
});

test('what was deleted stays so, also after a deletion by a clock that is behind', async () => {
  await settings(ON);
  const requestId = await booked();
  await keeper()([bodies(requestId)]);
  const clear = () => server.ok(admin(), rest.clearKeptBodies, { params: params() });
  expect(await clear()).toEqual({ deleted: 1 });
  server.clock.advance(-2_000);
  expect(await clear()).toEqual({ deleted: 0 });
  server.clock.advance(2_000);
  expect(await server.refused(admin(), rest.lookAtBodies, at(requestId))).toMatchObject({
    status: 404,
  });
});

test('all bodies are deleted at once, also those that an edge still has', async () => {
  await settings(ON);
  const [requestId, late, later] = [await booked(), await booked(), await booked()];
  const atMs = server.clock.now();
  await keeper()([bodies(requestId)]);
  server.clock.advance(1_000);
  const { MANAGER: manager } = tenant.callers;
  expect(await server.refused(manager, rest.clearKeptBodies, { params: params() })).toMatchObject({
    status: 403,
  });
  const other = await server.ok(admin(), rest.getKeptBodiesTotal, { params: params() });
  expect(other).toMatchObject({ allowed: true, requests: 1 });
  expect(await server.ok(admin(), rest.clearKeptBodies, { params: params() })).toEqual({
    deleted: 1,
  });
  // Nobody sees them from now on; their rows go with the next round of housekeeping.
  expect(await server.refused(admin(), rest.lookAtBodies, at(requestId))).toMatchObject({
    status: 404,
  });
  expect(await server.ok(admin(), rest.getKeptBodies, at(requestId))).toMatchObject({
    request: { kept: false },
    keptAt: null,
  });
  expect(await server.ok(admin(), rest.getKeptBodiesTotal, { params: params() })).toMatchObject({
    requests: 0,
    bytes: 0,
  });
  await keepHouse();
  expect(await rowsOf(requestId)).toBe(0);
  expect(await keeper()([bodies(late, { atMs })])).toMatchObject({ kept: 0 });
  server.clock.advance(1_000);
  expect(await keeper()([bodies(later)])).toMatchObject({ kept: 2 });
  const query = { action: 'organisation.clear_kept_bodies' };
  const { data } = await server.ok(admin(), rest.listAuditEvents, { params: params(), query });
  expect(data).toMatchObject([{ after: { deleted: 1 } }]);
});

test('what was left out, and what was masked, is told without a look', async () => {
  await settings(ON);
  const requestId = await booked();
  await keeper()([
    bodies(requestId, {
      request: { text: '', leftOut: 'TOO_LARGE', partial: false },
      answer: { ...text('{"text":"half"}'), partial: true },
    }),
  ]);
  expect(await server.ok(admin(), rest.getKeptBodies, at(requestId))).toMatchObject({
    request: { kept: false, leftOut: 'TOO_LARGE' },
    answer: { kept: true, leftOut: null, partial: true },
    masked: [{ label: 'EMAIL', count: 2 }],
    mayLook: true,
  });
});

test('the data plane hears the setting, and a key may be left out', async () => {
  const body = { name: 'service', type: 'ORGANISATION' as const };
  const created = await server.ok(admin(), rest.createApiKey, { params: params(), body });
  const told = async (allowed = true) =>
    (await resolveKey(database.pool, hashApiKey(created.key), allowed)).context?.keptBodies;
  expect(created.keepBodies).toBe(true);
  expect(await told()).toBeNull();
  await settings({ keepAnswerBodies: true, keptBodiesPercent: 25, keptBodiesOnlyFailed: true });
  expect(await told()).toEqual({ request: false, answer: true, percent: 25, onlyFailed: true });
  expect(await told(false)).toBeNull();
  const change = {
    params: { ...params(), apiKeyId: created.id },
    body: { keepBodies: false },
  };
  expect(await server.ok(admin(), rest.updateApiKey, change)).toMatchObject({ keepBodies: false });
  expect(await told()).toBeNull();
  const { MANAGER: manager } = tenant.callers;
  const team = { name: 'team', type: 'TEAM' as const, teamId: tenant.teamId, keepBodies: false };
  expect(
    await server.refused(manager, rest.createApiKey, { params: params(), body: team }),
  ).toMatchObject({ status: 403 });
});

test('an installation that forbids bodies keeps none, and nobody switches them on', async () => {
  const strict = await startRest(database, { bodiesAllowed: false });
  const asked = { params: params(), body: { keepAnswerBodies: true } };
  expect(await strict.refused(admin(), rest.updateSettings, asked)).toMatchObject({
    status: 409,
    path: 'keepAnswerBodies',
  });
  expect(await strict.ok(admin(), rest.getKeptBodiesTotal, { params: params() })).toMatchObject({
    allowed: false,
  });
  await strict.stop();
  await settings(ON);
  expect(await keeper({ allowed: false })([bodies(await booked())])).toMatchObject({ kept: 0 });
});

test('a user who is forgotten leaves no body', async () => {
  await settings(ON);
  const requestId = await booked();
  await database.pool.query("UPDATE usage_record SET end_user = 'ada' WHERE id = $1", [requestId]);
  await keeper()([bodies(requestId)]);
  await server.ok(admin(), rest.forgetEndUser, { params: params(), body: { endUser: 'ada' } });
  expect(await rowsOf(requestId)).toBe(0);
  // An edge still had it when the user was forgotten, or its report was waiting.
  expect(await keeper()([bodies(requestId)])).toEqual({ kept: 0, dayFull: 0 });
  expect(await rowsOf(requestId)).toBe(0);
});

test('a body that is being stored while its user is forgotten does not stay', async () => {
  await settings(ON);
  const requestId = await booked();
  await database.pool.query("UPDATE usage_record SET end_user = 'eve' WHERE id = $1", [requestId]);
  const other = await database.pool.connect();
  try {
    // As a report does: it holds its organisation, and has seen the record.
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM organisation WHERE id = $1 FOR SHARE', [
      tenant.organisationId,
    ]);
    const forgetting = server.ok(admin(), rest.forgetEndUser, {
      params: params(),
      body: { endUser: 'eve' },
    });
    await waitsForLock();
    await other.query(
      `INSERT INTO kept_body (id, organisation_id, at, request_kept, answer_kept, answer_partial, masked)
        VALUES ($1, $2, now(), false, false, false, '[]')`,
      [requestId, tenant.organisationId],
    );
    await other.query('COMMIT');
    await forgetting;
  } finally {
    other.release();
  }
  expect(await rowsOf(requestId)).toBe(0);
});

test('more rows than one statement deletes are removed in one round, but not before the service is ready', async () => {
  const add = (days: number, count: number) =>
    database.pool.query(
      `INSERT INTO kept_body (id, organisation_id, at, request_kept, answer_kept, answer_partial, masked)
        SELECT gen_random_uuid(), $1, now() - make_interval(days => $2), false, false, false, '[]'
        FROM generate_series(1, $3)`,
      [tenant.organisationId, days, count],
    );
  const left = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ left: number }>(
      'SELECT count(*)::integer AS left FROM kept_body WHERE organisation_id = $1',
      [tenant.organisationId],
    );
    return rows[0]?.left ?? 0;
  };
  await add(10, 2_500);
  await add(6, 7);
  await keepHouse();
  expect(await left()).toBe(1_507);
  const house = await startHousekeeping({ ...houseDeps(), intervalMs: 1 });
  await add(10, 2_500);
  while ((await left()) > 7) await new Promise((resolve) => setImmediate(resolve));
  await house.stop();
  expect(await left()).toBe(7);
});

test.each([
  [{ requestId: 'x' }, 'request_id'],
  [{ organisationId: '' }, 'organisation_id'],
  [{ atMs: 0 }, 'at_ms'],
  [{ masked: [{ label: 'an address', count: 1 }] }, 'masked'],
])('%j cannot be stored', async (over, field) => {
  await expect(keeper()([bodies(crypto.randomUUID(), over)])).rejects.toThrow(field);
});
