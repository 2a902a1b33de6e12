import { ALIAS_TARGETS_MAX, ALIASES_MAX, rest } from '@tollgate/contracts';

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
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

let acme: Tenant;
let admin: Who;
let params: { organisationId: string };
let organisations = 0;
beforeEach(async () => {
  organisations += 1;
  acme = await createTenant(server, `acme-${String(organisations)}`);
  admin = acme.callers.ORG_ADMIN;
  params = { organisationId: acme.organisationId };
});

const SUNSET = '2030-06-30T12:00:00.000Z';
const create = (body: object) =>
  server.call(admin, rest.createModelAlias, {
    params,
    body: { name: 'fast', targets: [{ modelId: acme.modelId }], ...body },
  });
const update = (modelAliasId: string, body: object) =>
  server.call(admin, rest.updateModelAlias, { params: { ...params, modelAliasId }, body });

async function newModel(name: string): Promise<string> {
  const body = { name, providerId: acme.providerId };
  return (await server.ok(admin, rest.createModel, { params, body })).id;
}

/** What the data plane gets of the organisation. */
async function organisationTold() {
  const key = await database.orm.manager.findOneByOrFail(ApiKey, { id: acme.userKeyId });
  const { organisations: found } = await resolveKeys(database.pool, [key.keySha256]);
  return found[0];
}

function fieldOf({ body }: { body: unknown }): string {
  return (body as { error: { details: { path: string }[] } }).error.details[0]?.path ?? '';
}

test('dated targets reach the data plane, ascending, with instants in UTC', async () => {
  const next = await newModel('next');
  const { status, body } = await create({
    targets: [
      { modelId: next, effectiveFrom: '2030-01-01T01:00:00+01:00' },
      { modelId: acme.modelId },
    ],
    retirement: { sunsetAt: SUNSET, replacementModelId: next },
  });
  expect(status).toBe(201);
  const targets = [
    { modelId: acme.modelId, effectiveFrom: null },
    { modelId: next, effectiveFrom: '2030-01-01T00:00:00.000Z' },
  ];
  expect(body).toMatchObject({ name: 'fast', targets, currentModelId: acme.modelId });
  const told = (await organisationTold())?.aliases?.find(({ name }) => name === 'fast');
  expect(told).toMatchObject({
    targets: [
      { modelId: acme.modelId, effectiveFromMs: 0 },
      { modelId: next, effectiveFromMs: Date.UTC(2030, 0, 1) },
    ],
    retirement: {
      deprecatedAtMs: 0,
      sunsetAtMs: Date.parse(SUNSET),
      replacementModelId: next,
      onSunset: 'REFUSE',
    },
  });
});

test('an alias that has not begun stands for nothing', async () => {
  const { body } = await create({
    targets: [{ modelId: acme.modelId, effectiveFrom: '2090-01-01T00:00:00Z' }],
  });
  expect(body).toMatchObject({ currentModelId: null });
});

test('the end of a model reaches the data plane, and is taken back', async () => {
  const end = {
    deprecatedAt: '2026-01-01T00:00:00.000Z',
    sunsetAt: SUNSET,
    url: 'https://e.com/x',
  };
  const at = { params: { ...params, modelId: acme.modelId } };
  const model = await server.ok(admin, rest.updateModel, { ...at, body: { retirement: end } });
  expect(model.retirement).toEqual({ ...end, replacementModelId: null, onSunset: 'REFUSE' });
  expect((await organisationTold())?.models?.[0]?.retirement).toMatchObject({ url: end.url });
  await server.ok(admin, rest.updateModel, { ...at, body: { retirement: null } });
  expect((await organisationTold())?.models?.[0]?.retirement).toBeNull();
});

test('a model stays while it is the replacement of another one, or of an alias', async () => {
  const next = await newModel('next');
  const remove = () =>
    server.call(admin, rest.deleteModel, { params: { ...params, modelId: next } });
  const at = { params: { ...params, modelId: acme.modelId } };
  const end = { sunsetAt: SUNSET, replacementModelId: next, onSunset: 'REPLACE' as const };
  await server.ok(admin, rest.updateModel, { ...at, body: { retirement: end } });
  expect((await remove()).status).toBe(409);
  await server.ok(admin, rest.updateModel, { ...at, body: { retirement: null } });
  const { body: alias } = await create({ retirement: end });
  expect((await remove()).status).toBe(409);
  await update(alias.id, { retirement: null });
  expect((await remove()).status).toBe(204);
});

test('a deleted model that was a target stays one in the past, and never becomes one again', async () => {
  const next = await newModel('next');
  const past = { modelId: next, effectiveFrom: null };
  const now = { modelId: acme.modelId, effectiveFrom: '2020-01-01T00:00:00Z' };
  const { body: alias } = await create({ targets: [past, now] });
  await server.ok(admin, rest.deleteModel, { params: { ...params, modelId: next } });
  expect((await update(alias.id, { targets: [past, now] })).status).toBe(200);
  const again = { modelId: next, effectiveFrom: '2021-01-01T00:00:00Z' };
  const refused = await update(alias.id, { targets: [past, now, again] });
  expect([refused.status, fieldOf(refused)]).toEqual([422, 'targets[2].modelId']);
});

test('a model and an alias never have one name, whichever comes first', async () => {
  const { body: made } = await create({});
  const taken = await create({ name: 'gpt-test' });
  expect([taken.status, fieldOf(taken)]).toEqual([409, 'name']);
  const twice = await create({});
  expect([twice.status, fieldOf(twice)]).toEqual([409, 'name']);
  const renamed = await update(made.id, { name: 'gpt-test' });
  expect([renamed.status, fieldOf(renamed)]).toEqual([409, 'name']);
  const body = { name: 'fast', providerId: acme.providerId };
  const model = await server.call(admin, rest.createModel, { params, body });
  expect([model.status, fieldOf(model)]).toEqual([409, 'name']);
  const at = { params: { ...params, modelId: acme.modelId } };
  const moved = await server.call(admin, rest.updateModel, { ...at, body: { name: 'fast' } });
  expect([moved.status, fieldOf(moved)]).toEqual([409, 'name']);
  const imported = await server.ok(admin, rest.importModels, {
    params: { ...params, providerId: acme.providerId },
    body: { models: [{ upstreamModel: 'fast' }] },
  });
  expect(imported.results).toMatchObject([{ outcome: 'NAME_TAKEN' }]);
});

test('a routing policy gets no name of an alias', async () => {
  await create({});
  const policy = await server.call(admin, rest.createRoutingPolicy, {
    params,
    body: { name: 'fast', candidates: [{ modelId: acme.modelId }] },
  });
  expect([policy.status, fieldOf(policy)]).toEqual([409, 'name']);
});

test('two at the same time do not both get the name', async () => {
  const body = { name: 'race', providerId: acme.providerId };
  const answers = await Promise.all([
    create({ name: 'race' }),
    server.call(admin, rest.createModel, { params, body }),
  ]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

test('an alias of an alias is refused', async () => {
  const { body } = await create({});
  const second = await create({ name: 'second', targets: [{ modelId: body.id }] });
  expect([second.status, fieldOf(second)]).toEqual([422, 'targets[0].modelId']);
});

const many = Array.from({ length: ALIAS_TARGETS_MAX + 1 }, (_, day) => ({
  effectiveFrom: new Date(Date.UTC(2030, 0, 1 + day)).toISOString(),
}));

test.each<[string, object | ((tenant: Tenant) => object), string]>([
  ['no targets', { targets: [] }, 'targets'],
  [
    'too many targets',
    ({ modelId }) => ({ targets: many.map((one) => ({ ...one, modelId })) }),
    'targets',
  ],
  [
    'two targets of one instant',
    ({ modelId }) => ({
      targets: [
        { modelId, effectiveFrom: '2030-01-01T00:00:00Z' },
        { modelId, effectiveFrom: '2030-01-01T01:00:00+01:00' },
      ],
    }),
    'targets',
  ],
  ['a name like an id', { name: '019aa000-0000-7000-8000-000000000000' }, 'name'],
  ['a retirement without a date', { retirement: {} }, 'retirement.deprecatedAt'],
  [
    'a sunset before the deprecation',
    { retirement: { deprecatedAt: SUNSET, sunsetAt: '2029-01-01T00:00:00Z' } },
    'retirement.sunsetAt',
  ],
  [
    'a replacement that answers and is not named',
    { retirement: { sunsetAt: SUNSET, onSunset: 'REPLACE' } },
    'retirement.replacementModelId',
  ],
  [
    'a page that breaks out of its header',
    { retirement: { sunsetAt: SUNSET, url: 'https://e.com/>;rel="x"' } },
    'retirement.url',
  ],
])('%s is refused by name', async (_what, given, field) => {
  const answer = await create(typeof given === 'function' ? given(acme) : given);
  expect([answer.status, fieldOf(answer)]).toEqual([422, field]);
});

test('a model does not replace itself', async () => {
  const answer = await server.call(admin, rest.updateModel, {
    params: { ...params, modelId: acme.modelId },
    body: { retirement: { sunsetAt: SUNSET, replacementModelId: acme.modelId } },
  });
  expect([answer.status, fieldOf(answer)]).toEqual([422, 'retirement.replacementModelId']);
});

test('a model is not deleted while an alias stands for it now or later', async () => {
  const next = await newModel('next');
  const { body: made } = await create({
    targets: [{ modelId: acme.modelId }, { modelId: next, effectiveFrom: '2090-01-01T00:00:00Z' }],
  });
  const remove = (modelId: string) =>
    server.call(admin, rest.deleteModel, { params: { ...params, modelId } });
  const later = await remove(next);
  expect([later.status, fieldOf(later)]).toEqual([409, 'modelId']);
  expect(JSON.stringify(later.body)).toContain('the alias \\"fast\\" stands for this model');
  await update(made.id, {
    targets: [{ modelId: next }, { modelId: acme.modelId, effectiveFrom: '2020-01-01T00:00:00Z' }],
  });
  expect((await remove(next)).status).toBe(204);
  // What is over may stay when the alias is changed, although its model is gone.
  const { body: kept } = await update(made.id, { displayName: 'Fast' });
  expect(kept.targets).toHaveLength(2);
  expect((await update(made.id, { targets: kept.targets })).status).toBe(200);
});

test('the list is narrowed by model, and an organisation has so many', async () => {
  const next = await newModel('next');
  await create({ name: 'to-next', targets: [{ modelId: next }] });
  const { data } = await server.ok(admin, rest.listModelAliases, {
    params,
    query: { modelId: next },
  });
  expect(data.map(({ name }) => name)).toEqual(['to-next']);
  await database.pool.query(
    `INSERT INTO model_alias (id, organisation_id, name, targets)
     SELECT gen_random_uuid(), $1, 'n' || n, '[]' FROM generate_series(1, $2) AS n`,
    [acme.organisationId, ALIASES_MAX],
  );
  const full = await create({});
  expect([full.status, fieldOf(full)]).toEqual([409, 'name']);
});
