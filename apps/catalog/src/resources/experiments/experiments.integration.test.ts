import { ACTIVE_EXPERIMENTS_MAX, rest } from '@tollgate/contracts';

import { resolveKeys } from '../../directory/resolve-keys';
import { ApiKey } from '../../entities/api-key.entity';
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
  rival = await createTenant(server, 'rival');
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

let acme: Tenant;
let admin: Who;
let params: { organisationId: string };
let asked: string;
let next: string;
let rival: Tenant;
let organisations = 0;
beforeEach(async () => {
  organisations += 1;
  acme = await createTenant(server, `acme-${String(organisations)}`);
  admin = acme.callers.ORG_ADMIN;
  params = { organisationId: acme.organisationId };
  asked = await newModel('asked');
  next = await newModel('next');
});

async function newModel(name: string, changes: object = {}): Promise<string> {
  const body = { name, providerId: acme.providerId, ...changes };
  return (await server.ok(admin, rest.createModel, { params, body })).id;
}

const arms = (share = 10) => [
  { name: 'control', modelId: asked, share: 100 - share },
  { name: 'candidate', modelId: next, share },
];
const create = (body: object = {}, who = admin) =>
  server.call(who, rest.createExperiment, {
    params,
    body: { name: 'trial', model: 'asked', arms: arms(), ...body },
  });
const update = (experimentId: string, body: object) =>
  server.call(admin, rest.updateExperiment, { params: { ...params, experimentId }, body });

/** The experiments that the data plane gets. */
async function told() {
  const key = await database.orm.manager.findOneByOrFail(ApiKey, { id: acme.userKeyId });
  const { organisations: found } = await resolveKeys(database.pool, [key.keySha256]);
  return found[0]?.experiments?.filter(({ model }) => model === 'asked');
}

const faultOf = ({ status, body }: { status: number; body: unknown }) => {
  const { error } = body as { error: { details?: { path: string }[] } };
  return [status, error.details?.[0]?.path ?? ''];
};

test('an active experiment reaches the data plane, a paused one does not', async () => {
  const startsAt = '2030-01-01T01:00:00+01:00';
  const { status, body } = await create({ startsAt, endsAt: '2030-02-01T00:00:00Z' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: 'trial',
    model: 'asked',
    arms: arms(),
    status: 'ACTIVE',
    startsAt: '2030-01-01T00:00:00.000Z',
  });
  expect(await told()).toEqual([
    {
      experimentId: body.id,
      name: 'trial',
      shadow: null,
      model: 'asked',
      arms: arms(),
      startsAtMs: Date.UTC(2030, 0, 1),
      endsAtMs: Date.UTC(2030, 1, 1),
    },
  ]);
  expect((await update(body.id, { status: 'PAUSED' })).status).toBe(200);
  expect(await told()).toEqual([]);
});

test('at most one experiment on a name is active', async () => {
  const { body: first } = await create();
  expect(faultOf(await create({ name: 'other' }))).toEqual([409, 'model']);
  const paused = await create({ name: 'other', status: 'PAUSED' });
  expect(paused.status).toBe(201);
  expect(faultOf(await update(paused.body.id, { status: 'ACTIVE' }))).toEqual([409, 'model']);
  await update(first.id, { status: 'PAUSED' });
  expect((await update(paused.body.id, { status: 'ACTIVE' })).status).toBe(200);
});

test('of two that are created at once, one is active', async () => {
  const both = await Promise.all([create(), create({ name: 'other' })]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

test('an organisation has a limited number of active experiments', async () => {
  for (let at = 0; at < ACTIVE_EXPERIMENTS_MAX; at += 1) {
    await server.ok(admin, rest.createModelAlias, {
      params,
      body: { name: `alias-${String(at)}`, targets: [{ modelId: asked }] },
    });
    const model = `alias-${String(at)}`;
    expect((await create({ name: `trial-${String(at)}`, model })).status).toBe(201);
  }
  expect(faultOf(await create())).toEqual([409, 'status']);
  expect((await create({ status: 'PAUSED' })).status).toBe(201);
});

test.each<[string, () => object, string]>([
  ['an unknown name', () => ({ model: 'nobody' }), 'model'],
  [
    'a model of another organisation',
    () => ({ arms: [{ name: 'a', modelId: rival.modelId, share: 100 }] }),
    'arms[0].modelId',
  ],
  ['shares that do not add up', () => ({ arms: arms().slice(0, 1) }), 'arms'],
  [
    'two arms of one name',
    () => ({ arms: arms().map((arm) => ({ ...arm, name: 'same' })) }),
    'arms',
  ],
  [
    'two arms of one model',
    () => ({ arms: arms().map((arm) => ({ ...arm, modelId: next })) }),
    'arms',
  ],
  ['a name that no header can carry', () => ({ name: 'Versuch ü' }), 'name'],
  [
    'an end before the start',
    () => ({ startsAt: '2030-02-01T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' }),
    'endsAt',
  ],
])('%s is refused, and the field named', async (_, body, path) => {
  expect(faultOf(await create(body()))).toEqual([422, path]);
});

test('models of the arms can do the same', async () => {
  const embedding = await newModel('vectors', { type: 'embeddings' });
  const mixed = [...arms(0), { name: 'vectors', modelId: embedding, share: 0 }];
  expect(faultOf(await create({ arms: mixed }))).toEqual([422, 'arms[2].modelId']);
  const reasoning = await newModel('thinker', { type: 'reasoning' });
  const both = [...arms(0), { name: 'thinker', modelId: reasoning, share: 0 }];
  expect((await create({ arms: both })).status).toBe(201);
});

test('shares change, and an arm keeps its model', async () => {
  const { body } = await create();
  expect((await update(body.id, { arms: arms(50) })).body).toMatchObject({ arms: arms(50) });
  const swapped = [
    { name: 'control', modelId: next, share: 50 },
    { name: 'candidate', modelId: asked, share: 50 },
  ];
  expect(faultOf(await update(body.id, { arms: swapped }))).toEqual([409, 'arms[0].modelId']);
  const renamed = [{ name: 'candidate-2', modelId: next, share: 100 }];
  expect((await update(body.id, { arms: renamed })).status).toBe(200);
  expect(
    faultOf(
      await update(body.id, { endsAt: '2020-01-01T00:00:00Z', startsAt: '2021-01-01T00:00:00Z' }),
    ),
  ).toEqual([422, 'endsAt']);
});

test('a model stays while an experiment that has not ended has it', async () => {
  const { body } = await create();
  const remove = () =>
    server.call(admin, rest.deleteModel, { params: { ...params, modelId: next } });
  expect((await remove()).status).toBe(409);
  await update(body.id, { status: 'PAUSED' });
  expect((await remove()).status).toBe(409);
  await update(body.id, { endsAt: '2020-01-01T00:00:00Z' });
  expect((await remove()).status).toBe(204);
  // The arm of the deleted model may stay.
  expect((await update(body.id, { arms: arms(20) })).status).toBe(200);
});

test('only administrators read and write experiments', async () => {
  for (const role of ['MANAGER', 'USER'] as const) {
    const who = acme.callers[role];
    expect((await create({}, who)).status).toBe(403);
    expect((await server.call(who, rest.listExperiments, { params })).status).toBe(403);
  }
});

test('an experiment of another organisation is not compared', async () => {
  const { id } = (await create()).body as { id: string };
  const theirs = { organisationId: rival.organisationId, experimentId: id };
  const { status } = await server.call(rival.callers.ORG_ADMIN, rest.compareExperiment, {
    params: theirs,
  });
  expect(status).toBe(404);
});

test('the name that a running experiment splits is neither renamed nor deleted', async () => {
  const { id } = (await create()).body as { id: string };
  const at = { params: { ...params, modelId: asked } };
  await update(id, { arms: [{ name: 'candidate', modelId: next, share: 100 }] });
  const renamed = await server.call(admin, rest.updateModel, { ...at, body: { name: 'new' } });
  expect(faultOf(renamed)).toEqual([409, 'name']);
  const deleted = await server.call(admin, rest.deleteModel, at);
  expect(faultOf(deleted)).toEqual([409, 'name']);
  await update(id, { status: 'PAUSED' });
  await server.ok(admin, rest.updateModel, { ...at, body: { name: 'new' } });
});

test('an experiment runs again only if the models of its arms are still there', async () => {
  const other = await newModel('other');
  const given = [
    { name: 'control', modelId: asked, share: 50 },
    { name: 'candidate', modelId: other, share: 50 },
  ];
  const { id } = (await create({ arms: given, endsAt: '2020-01-01T00:00:00Z' })).body as {
    id: string;
  };
  await server.ok(admin, rest.deleteModel, { params: { ...params, modelId: other } });
  expect(faultOf(await update(id, { endsAt: null }))).toEqual([422, 'arms[1].modelId']);
  expect((await update(id, { name: 'past' })).status).toBe(200);
});
