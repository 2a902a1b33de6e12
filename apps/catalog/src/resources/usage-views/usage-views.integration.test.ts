import { rest } from '@tollgate/contracts';

import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

let acme: Tenant;
let params: { organisationId: string };
let organisations = 0;
beforeEach(async () => {
  organisations += 1;
  acme = await createTenant(server, `acme-${String(organisations)}`);
  params = { organisationId: acme.organisationId };
});

const save = (who: Who, body: object) =>
  server.call(who, rest.createUsageView, {
    params,
    body: { name: 'Mine', parameters: { group: 'team', range: '7d' }, ...body },
  });
const change = (who: Who, usageViewId: string, body: object) =>
  server.call(who, rest.updateUsageView, { params: { ...params, usageViewId }, body });
const drop = (who: Who, usageViewId: string) =>
  server.call(who, rest.deleteUsageView, { params: { ...params, usageViewId } });
const namesFor = async (who: Who): Promise<string[]> =>
  (await server.ok(who, rest.listUsageViews, { params })).data.map(({ name }) => name);
const idOf = ({ body }: { body: unknown }): string => (body as { id: string }).id;
const problem = ({ status, body }: { status: number; body: unknown }) => {
  const { details } = (body as { error: { details: { path: string; message: string }[] } }).error;
  return [status, details[0]?.path, details[0]?.message];
};

test('a view keeps its parameters, and only its user has it', async () => {
  const { MANAGER, USER, ORG_ADMIN } = acme.callers;
  const made = await save(USER, {});
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    userId: acme.userIds.USER,
    parameters: { group: 'team', range: '7d' },
    shared: false,
  });
  expect(await namesFor(USER)).toEqual(['Mine']);
  expect(await namesFor(MANAGER)).toEqual([]);
  expect(await namesFor(ORG_ADMIN)).toEqual(['By model']);
  expect(await namesFor(server.root)).toEqual(['By model']);
  for (const who of [MANAGER, ORG_ADMIN, server.root]) {
    expect((await change(who, idOf(made), { name: 'Theirs' })).status).toBe(404);
    expect((await drop(who, idOf(made))).status).toBe(404);
  }
  expect((await change(USER, idOf(made), { name: 'Still mine' })).status).toBe(200);
  expect((await drop(USER, idOf(made))).status).toBe(204);
  expect(await namesFor(USER)).toEqual([]);
});

test('every administrator has a shared view, and may change and delete it', async () => {
  const made = await save(acme.callers.ORG_ADMIN, { name: 'Ours', shared: true });
  expect(await namesFor(server.root)).toEqual(['By model', 'Ours']);
  expect(await namesFor(acme.callers.MANAGER)).toEqual([]);
  const changed = await change(server.root, idOf(made), { parameters: { metric: 'errors' } });
  expect(changed.body).toMatchObject({
    userId: acme.userIds.ORG_ADMIN,
    name: 'Ours',
    parameters: { metric: 'errors' },
  });
  expect((await drop(server.root, idOf(made))).status).toBe(204);
});

test('who is no administrator cannot share, and is told so at the field', async () => {
  const { USER } = acme.callers;
  const refused = [422, 'shared', 'only administrators share views'];
  expect(problem(await save(USER, { shared: true }))).toEqual(refused);
  const made = await save(USER, {});
  expect(problem(await change(USER, idOf(made), { shared: true }))).toEqual(refused);
});

test('two views of one user have different names; those of two users need not', async () => {
  const { ORG_ADMIN, USER } = acme.callers;
  expect((await save(USER, {})).status).toBe(201);
  expect((await save(ORG_ADMIN, {})).status).toBe(201);
  const taken = [409, 'name', 'a saved view of this user has this name'];
  expect(problem(await save(USER, {}))).toEqual(taken);
  const second = await save(USER, { name: 'Second' });
  expect(problem(await change(USER, idOf(second), { name: 'Mine' }))).toEqual(taken);
  expect((await change(USER, idOf(second), { name: 'Second' })).status).toBe(200);
});

test('unknown parameters and long values are refused', async () => {
  const { USER } = acme.callers;
  const unknown = await save(USER, { parameters: { tab: 'requests' } });
  expect(unknown.status).toBe(422);
  const long = await save(USER, { parameters: { tag: 'x'.repeat(201) } });
  expect(problem(long).slice(0, 2)).toEqual([422, 'parameters.tag']);
});

/** Fills up to a number of views, without the API. */
async function fill(userId: string, count: number, shared = false): Promise<void> {
  await database.pool.query(
    `INSERT INTO usage_view (id, organisation_id, user_id, name, parameters, shared)
     SELECT gen_random_uuid(), $1, $2, $4 || n, '{}', $4 = 'shared' FROM generate_series(1, $3) AS n`,
    [acme.organisationId, userId, count, shared ? 'shared' : 'private'],
  );
}

test('a user has at most 50 views, an organisation 100 shared ones; also when they are saved at once', async () => {
  const { USER, MANAGER, ORG_ADMIN } = acme.callers;
  await fill(acme.userIds.USER, rest.USAGE_VIEWS_OF_USER - 1);
  const several = await Promise.all([save(USER, { name: 'a' }), save(USER, { name: 'b' })]);
  expect(several.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  expect(problem(await save(USER, { name: 'c' }))).toEqual([
    409,
    'name',
    'you have at most 50 saved views; delete one first',
  ]);
  await fill(acme.userIds.MANAGER, rest.USAGE_VIEWS_OF_USER - 2);
  expect((await save(MANAGER, { name: 'of others, private ones do not count' })).status).toBe(201);
  const { rows } = await database.pool.query<{ count: string }>(
    'SELECT count(*) FROM usage_view WHERE organisation_id = $1 AND shared',
    [acme.organisationId],
  );
  const left = rest.USAGE_VIEWS_SHARED - Number(rows[0]?.count) - 1;
  await fill(acme.userIds.USER, left, true);
  const shared = await Promise.all(
    ['x', 'y'].map((name) => save(ORG_ADMIN, { name, shared: true })),
  );
  expect(shared.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([201, 409]);
  const refused = shared.find(({ status }) => status === 409);
  expect(refused && problem(refused)).toEqual([
    409,
    'shared',
    'an organisation has at most 100 shared views; delete one first',
  ]);
  expect((await save(ORG_ADMIN, { name: 'a private one' })).status).toBe(201);
});

test('the audit trail has the content of shared views only', async () => {
  const told = async (body: object): Promise<unknown> => {
    expect((await save(acme.callers.ORG_ADMIN, body)).status).toBe(201);
    const { rows } = await database.pool.query<{ after: unknown }>(
      `SELECT details -> 'after' AS after FROM audit_event WHERE action = 'usage-view.create' ORDER BY id DESC LIMIT 1`,
    );
    return rows[0]?.after;
  };
  const parameters = { endUser: 'ada' };
  const own = await told({ name: 'about ada', parameters });
  expect(own).toMatchObject({ shared: false });
  expect(JSON.stringify(own)).not.toContain('ada');
  const all = await told({ name: 'for all', parameters, shared: true });
  expect(all).toMatchObject({ name: 'for all', parameters });
});

test('the views of a deleted user go with the user', async () => {
  await save(acme.callers.USER, {});
  const { rows } = await database.pool.query(
    `SELECT confdeltype FROM pg_constraint WHERE conname = 'usage_view_user_id_fkey'`,
  );
  expect(rows).toEqual([{ confdeltype: 'c' }]);
});
