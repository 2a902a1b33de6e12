import { MODEL_GRANTS_MAX, rest } from '@tollgate/contracts';

import { resolveKey } from '../../directory/resolve-key';
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

// Standing grants: all models, all of a provider, all whose name matches a pattern.

type Grant = rest.ModelGrant;

const ALL: Grant = { kind: 'ALL' };
const like = (pattern: string): Grant => ({ kind: 'PATTERN', pattern });
const of = (providerId: string): Grant => ({ kind: 'PROVIDER', providerId });

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let acme: Tenant;
let rival: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

let organisations = 0;
beforeEach(async () => {
  organisations += 1;
  acme = await createTenant(server, `acme-${organisations}`);
  rival = await createTenant(server, `rival-${organisations}`);
  admin = acme.callers.ORG_ADMIN;
  params = { organisationId: acme.organisationId };
});

const create = (modelGrants: readonly unknown[], over: object = {}, who: Who = admin) =>
  server.call(who, rest.createApiKey, {
    params,
    body: { name: 'k', type: 'ORGANISATION', modelGrants: modelGrants as Grant[], ...over },
  });
const at = (apiKeyId: string) => ({ params: { ...params, apiKeyId } });

async function newModel(name: string, providerId = acme.providerId): Promise<string> {
  const prices = [{ steps: [{ input: '1', output: '1' }] }];
  const body = { name, providerId, type: 'chat' as const, contextTokens: 1000, prices };
  return (await server.ok(admin, rest.createModel, { params, body })).id;
}

async function newProvider(name: string): Promise<string> {
  const body = { name, type: 'PROVIDER_A' as const, baseUrl: 'https://other.example/v1' };
  return (await server.ok(admin, rest.createProvider, { params, body })).id;
}

/** Names of the models that the data plane serves to the key. */
async function served(id: string): Promise<string[]> {
  const { keySha256 } = await database.orm.manager.findOneByOrFail(ApiKey, { id });
  const { context } = await resolveKey(database.pool, keySha256);
  const models = (context?.models ?? []).filter(({ granted }) => granted);
  return models.map(({ name = '' }) => name).toSorted();
}

/** The same models, as the management API lists them. */
async function told(id: string, who: Who = admin): Promise<string[]> {
  const { data, total } = await server.ok(who, rest.listUsableModels, at(id));
  expect(total).toBe(data.length);
  return data.map(({ name }) => name).toSorted();
}

async function namesOfAll(): Promise<string[]> {
  const { data } = await server.ok(admin, rest.listModels, { params });
  return data.map(({ name }) => name).toSorted();
}

test('all models are those of the organisation, of now and later, and never of another', async () => {
  const { body: made } = await create([ALL]);
  expect(made).toMatchObject({ modelIds: [], modelGrants: [ALL] });
  expect(await served(made.id)).toEqual(await namesOfAll());
  await newModel('later');
  expect(await served(made.id)).toContain('later');
  expect(await served(made.id)).toEqual(await namesOfAll());
  expect(await told(made.id)).toEqual(await namesOfAll());
});

test("a provider's grant gives its models, and follows one that moves there", async () => {
  const second = await newProvider('second');
  const { body: made } = await create([of(second)]);
  expect(await served(made.id)).toEqual([]);
  const modelId = await newModel('there', second);
  await newModel('elsewhere');
  expect(await served(made.id)).toEqual(['there']);
  expect(await told(made.id)).toEqual(['there']);
  const body = { providerId: acme.providerId };
  await server.ok(admin, rest.updateModel, { params: { ...params, modelId }, body });
  expect(await served(made.id)).toEqual([]);
});

test('the database compares patterns as the data plane does, whatever stands in them', async () => {
  for (const name of ['ggt-4o', 'ggt-4o-mini', 'ggtx4o', 'o_k', 'oxk', 'Big']) {
    await newModel(name);
  }
  const patterns: readonly [string, readonly string[]][] = [
    ['ggt-*', ['ggt-4o', 'ggt-4o-mini']],
    ['*-mini', ['ggt-4o-mini']],
    ['g*o', ['ggt-4o', 'ggtx4o']],
    ['GGT-*', []],
    ['ggt_4o', []],
    ['o_k', ['o_k']],
    ['b*', []],
    ['B*', ['Big']],
    ['ggt-4o', ['ggt-4o']],
  ];
  for (const [pattern, names] of patterns) {
    const { body: made } = await create([like(pattern)]);
    expect([pattern, await served(made.id)]).toEqual([pattern, names]);
    expect([pattern, await told(made.id)]).toEqual([pattern, names]);
  }
});

test('grants are replaced as a list; single models and what is left out stay', async () => {
  const { modelId } = acme;
  const { body: made } = await create([like('a*'), ALL], { modelIds: [modelId] });
  const change = (body: object) => server.ok(admin, rest.updateApiKey, { ...at(made.id), body });
  expect(await change({ modelGrants: [like('b*')] })).toMatchObject({
    modelIds: [modelId],
    modelGrants: [like('b*')],
  });
  expect(await change({ modelIds: [] })).toMatchObject({
    modelIds: [],
    modelGrants: [like('b*')],
  });
  await server.ok(admin, rest.setApiKeyModels, { ...at(made.id), body: { modelIds: [modelId] } });
  expect(await server.ok(admin, rest.getApiKey, at(made.id))).toMatchObject({
    modelIds: [modelId],
    modelGrants: [like('b*')],
  });
  const { data } = await server.ok(admin, rest.listAuditEvents, {
    params,
    query: { targetId: made.id },
  });
  const change0 = data.find(({ before }) => before?.['modelGrants'] !== undefined);
  expect(change0).toMatchObject({
    action: 'apikey.update',
    before: { modelGrants: [like('a*'), ALL] },
    after: { modelGrants: [like('b*')] },
  });
});

test('the list of keys is narrowed by a model that a standing grant gives', async () => {
  const modelId = await newModel('wanted');
  const { body: one } = await create([like('want*')]);
  const { body: other } = await create([like('unwanted')]);
  const { data } = await server.ok(admin, rest.listApiKeys, { params, query: { modelId } });
  expect(data.map(({ id }) => id)).toContain(one.id);
  expect(data.map(({ id }) => id)).not.toContain(other.id);
});

test('a provider that is deleted takes its grants along', async () => {
  const second = await newProvider('second');
  const { body: made } = await create([of(second), like('a*')]);
  const gone = { params: { ...params, providerId: second } };
  await server.ok(admin, rest.deleteProvider, gone);
  expect((await server.ok(admin, rest.getApiKey, at(made.id))).modelGrants).toEqual([like('a*')]);
  expect((await create([of(second)])).status).toBe(422);
});

test.each<[string, readonly unknown[] | ((rival: Tenant) => readonly unknown[]), string]>([
  ['another kind', [{ kind: 'SOME' }], 'modelGrants[0].kind'],
  ['an empty pattern', [{ kind: 'PATTERN', pattern: '' }], 'modelGrants[0].pattern'],
  ['a long pattern', [ALL, like('x'.repeat(201))], 'modelGrants[1].pattern'],
  ['a character that no name has', [like('gpt%')], 'modelGrants[0].pattern'],
  ['many stars', [like('*a*a*a*a*a*a*a*a*')], 'modelGrants[0].pattern'],
  ['a grant twice', [ALL, ALL], 'modelGrants'],
  [
    'too many',
    Array.from({ length: MODEL_GRANTS_MAX + 1 }, (_, n) => like(`${n}*`)),
    'modelGrants',
  ],
  ['a foreign provider', (other) => [of(other.providerId)], 'modelGrants[0].providerId'],
])('%s is refused by name', async (_what, given, field) => {
  const grants = typeof given === 'function' ? given(rival) : given;
  const { status, body } = await create(grants);
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain(`"path":"${field}"`);
});

test('a user gives what the own keys or teams have, in the same words or as all models', async () => {
  const user = acme.callers.USER;
  const own = { type: 'USER' };
  expect((await create([like('a*')], own, user)).status).toBe(422);
  expect((await create([ALL], own, user)).status).toBe(422);
  const body = (modelGrants: Grant[]) => ({ ...at(acme.userKeyId), body: { modelGrants } });
  const { type } = await server.ok(admin, rest.getApiKey, at(acme.userKeyId));
  expect(type).toBe('USER');
  await server.ok(admin, rest.updateApiKey, body([like('a*')]));
  const modelId = await newModel('alpha');
  expect((await create([like('a*')], own, user)).status).toBe(201);
  expect((await create([like('b*')], own, user)).status).toBe(422);
  // A model of a standing grant can be granted singly.
  expect((await create([], { ...own, modelIds: [modelId] }, user)).status).toBe(201);
  await server.ok(admin, rest.updateApiKey, body([ALL]));
  expect((await create([like('b*'), of(acme.providerId)], own, user)).status).toBe(201);
});

test('a manager gives any', async () => {
  const { status } = await create([ALL], { type: 'USER' }, acme.callers.MANAGER);
  expect(status).toBe(201);
});
