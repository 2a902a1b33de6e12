import type { ServerResponse } from 'node:http';
import { rest } from '@tollgate/contracts';
import { hashApiKey, openSecret, parseKeyRing, secretContext } from '@tollgate/contracts/node';

import { publishConnection } from '../../directory/connections';
import { getConnection } from '../../directory/get-connection';
import { resolveKey } from '../../directory/resolve-key';
import { Provider } from '../../entities/provider.entity';
import {
  createTenant,
  startRest,
  TEST_KEY_RING,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, until, type TestDatabases } from '../../test-support';
import { openAiList, startUpstream, type UpstreamServer } from './test-support/upstream-server';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let upstream: UpstreamServer;
let tenant: Tenant;
let admin: Who;
let one: { organisationId: string; providerId: string };

let tenants = 0;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  upstream = await startUpstream();
});
beforeEach(async () => {
  tenant = await createTenant(server, `tenant-${(tenants += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
  one = { organisationId: tenant.organisationId, providerId: tenant.providerId };
  await database.orm.transaction(async (tx) => {
    await tx.update(Provider, { id: one.providerId }, { baseUrl: `${upstream.url}/v1` });
    await publishConnection(tx, one.providerId);
  });
  // A signature may have the letters of a bad key by chance.
  const isBad = (header: string): boolean => header.startsWith('Bearer ') && header.includes('bad');
  upstream.serve(({ headers }) =>
    headers.authorization === undefined || isBad(headers.authorization)
      ? { status: 401, body: { error: { message: `no: ${headers.authorization}` } } }
      : { body: openAiList('gpt-new', 'gpt-test', 'text-embedding-x') },
  );
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
  await databases.stop();
});

test('an identity at a cloud is sealed like a key, and checked in every way that a key arrives', async () => {
  const identity = JSON.stringify({
    type: 'aws_access_key',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'a-secret-of-the-organisation',
    region: 'eu-central-1',
  });
  const bedrock = {
    name: 'Bedrock',
    type: 'PROVIDER_H',
    upstreamFormat: 'anthropic',
    baseUrl: upstream.url,
  } as const;
  const { organisationId } = one;
  const params = { organisationId };
  const wrong = identity.replace('AKIAIOSFODNN7EXAMPLE', 'AKIA');
  const faults = [
    { ...bedrock, apiKey: wrong },
    { ...bedrock, apiKeys: [{ apiKey: identity }, { apiKey: '{}' }] },
    { ...bedrock, upstreamFormat: 'gemini' as const },
    {
      ...bedrock,
      type: 'PROVIDER_A' as const,
      upstreamFormat: undefined,
      apiKey: `${identity}\n{}`,
    },
  ];
  const paths = [];
  for (const body of faults) {
    const { path, status } = await server.refused(admin, rest.createProvider, { params, body });
    paths.push([status, path]);
  }
  expect(paths).toEqual([
    [422, 'apiKey.accessKeyId'],
    [422, 'apiKeys.1.apiKey.type'],
    [422, 'upstreamFormat'],
    [422, 'apiKey'],
  ]);

  const created = await server.ok(admin, rest.createProvider, {
    params,
    body: { ...bedrock, apiKey: identity },
  });
  const [key] = created.apiKeys;
  expect(key?.preview).toMatch(/^\{…\}[0-9a-f]{8}$/);
  const keyParams = { organisationId, providerId: created.id };
  for (const [endpoint, more] of [
    [rest.addProviderKey, {}],
    [rest.rotateProviderKey, { keyId: key?.id ?? '' }],
  ] as const) {
    const refused = await server.refused(admin, endpoint, {
      params: { ...keyParams, ...more },
      body: { apiKey: '{"type":"ambient","region":"eu-central-1"}' },
    } as never);
    expect([refused.status, refused.path]).toEqual([422, 'apiKey.type']);
  }
  const material = await getConnection(database.pool, created.id, created.connectionVersion);
  expect(material?.organisationId).toBe(organisationId);
  const [sealed] = material?.secrets ?? [];
  if (!sealed) throw new Error('no secret');
  const opened = openSecret(
    TEST_KEY_RING,
    sealed as never,
    secretContext(created.id, sealed.apiKeyId ?? ''),
  );
  expect(opened).toBe(identity);
  const tested = await server.ok(admin, rest.testProvider, { params: keyParams, body: {} });
  // The upstream got a signature, and answered with another list.
  expect(tested.results).toMatchObject([{ ok: false, failure: { code: 'not_understood' } }]);
  expect(server.logs.join('')).not.toContain('a-secret-of-the-organisation');
});

test('stored keys are not sent to another host by a change of the address', async () => {
  const change = (baseUrl: string) => ({ params: one, body: { baseUrl } });
  const elsewhere = change('https://elsewhere.example/v1');
  const refused = await server.refused(admin, rest.updateProvider, elsewhere);
  expect([refused.status, refused.path]).toEqual([422, 'baseUrl']);
  const within = await server.ok(admin, rest.updateProvider, change(`${upstream.url}/v2`));
  expect(within.baseUrl).toBe(`${upstream.url}/v2`);
  const body = { name: 'keyless', type: 'PROVIDER_A' as const, baseUrl: `${upstream.url}/v1` };
  const keyless = await server.ok(admin, rest.createProvider, {
    params: { organisationId: one.organisationId },
    body,
  });
  const moved = await server.ok(admin, rest.updateProvider, {
    params: { ...one, providerId: keyless.id },
    body: elsewhere.body,
  });
  expect(moved.baseUrl).toBe('https://elsewhere.example/v1');
});

test('the Responses API is declared by a custom provider of the format openai, and by no other', async () => {
  const params = { organisationId: one.organisationId };
  const body = { name: 'declares', baseUrl: `${upstream.url}/v1`, nativeResponses: true };
  for (const kind of [
    { type: 'PROVIDER_A' as const },
    { type: 'PROVIDER_D' as const },
    { type: 'CUSTOM' as const, upstreamFormat: 'vllm' as const },
  ]) {
    const asked = { params, body: { ...body, ...kind } };
    const refused = await server.refused(admin, rest.createProvider, asked);
    expect([refused.status, refused.path]).toEqual([422, 'nativeResponses']);
  }
  const change = { params: one, body: { nativeResponses: true } };
  const refused = await server.refused(admin, rest.updateProvider, change);
  expect([refused.status, refused.path]).toEqual([422, 'nativeResponses']);

  const custom = { ...body, type: 'CUSTOM' as const, upstreamFormat: 'openai' as const };
  const made = await server.ok(admin, rest.createProvider, { params, body: custom });
  expect(made.nativeResponses).toBe(true);
  const model = { name: 'declared', providerId: made.id, type: 'chat' as const };
  await server.ok(admin, rest.createModel, { params, body: model });
  const sha256 = hashApiKey(await keyOf(params.organisationId));
  const told = async () => {
    const { context } = await resolveKey(database.pool, sha256);
    return context?.models?.find(({ name }) => name === 'declared')?.nativeResponses;
  };
  expect(await told()).toBe(true);
  const off = { params: { ...one, providerId: made.id }, body: { nativeResponses: false } };
  expect((await server.ok(admin, rest.updateProvider, off)).nativeResponses).toBe(false);
  expect(await told()).toBe(false);
});

async function keyOf(organisationId: string): Promise<string> {
  const body = { name: 'reads', type: 'ORGANISATION' as const };
  return (await server.ok(admin, rest.createApiKey, { params: { organisationId }, body })).key;
}

const RING = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);
const keyParams = (keyId: string) => ({ params: { ...one, keyId } });
const addKey = (apiKey: string, name = apiKey, weight = 1) =>
  server.ok(admin, rest.addProviderKey, { params: one, body: { apiKey, name, weight } });

/** What the edge gets: the opened keys of a version with their weights. */
async function secretsAt(version: number): Promise<string[]> {
  const connection = await getConnection(database.pool, one.providerId, version);
  return (connection?.secrets ?? []).map((secret) => {
    const { apiKeyId = '', keyId = '', nonce, ciphertext, tag } = secret;
    const sealed = {
      keyId,
      nonce: nonce as Buffer,
      ciphertext: ciphertext as Buffer,
      tag: tag as Buffer,
    };
    const opened = openSecret(RING, sealed, secretContext(one.providerId, apiKeyId));
    return `${secret.name} ${opened} ${secret.weight}`;
  });
}
async function versionNow(): Promise<number> {
  const { connectionVersion } = await server.ok(admin, rest.getProvider, { params: one });
  return connectionVersion;
}

const audited = async (action: string): Promise<{ details: unknown }[]> =>
  database.orm.query(
    `SELECT details FROM audit_event WHERE organisation_id = $1 AND action = $2 ORDER BY id`,
    [tenant.organisationId, action],
  );

describe('several keys', () => {
  it('reach the edge with names and weights, and are replaced without a gap', async () => {
    const first = tenant.providerKeyId;
    const second = await addKey('sk-second-0123456789', 'second', 3);
    const before = await versionNow();
    const old = 'sk-secret-of-the-upstream-0001';
    expect(await secretsAt(before)).toEqual([`default ${old} 1`, 'second sk-second-0123456789 3']);

    const body = { apiKey: 'sk-third-0123456789' };
    const third = await server.ok(admin, rest.rotateProviderKey, { ...keyParams(first), body });
    expect(third).toMatchObject({ name: 'default', weight: 1, status: 'ACTIVE' });
    const drained = await server.ok(admin, rest.getProviderKey, keyParams(first));
    expect(drained.status).toBe('DRAINING');
    const after = await versionNow();
    expect(after).toBe(before + 1);
    expect(await secretsAt(before)).toHaveLength(2);
    expect(await secretsAt(after)).toEqual([
      'second sk-second-0123456789 3',
      'default sk-third-0123456789 1',
    ]);

    const off = { ...keyParams(second.id), body: { status: 'DISABLED' as const } };
    await server.ok(admin, rest.updateProviderKey, off);
    expect(await secretsAt(before)).toEqual([`default ${old} 1`]);
    await server.ok(admin, rest.deleteProviderKey, keyParams(first));
    expect(await secretsAt(await versionNow())).toEqual(['default sk-third-0123456789 1']);
    // Earlier versions use the replacement key.
    expect(await secretsAt(before)).toEqual(['default sk-third-0123456789 1']);
    const again = await server.refused(admin, rest.rotateProviderKey, {
      ...keyParams(second.id),
      body,
    });
    expect(again).toMatchObject({ status: 409, path: 'status' });
  });

  it('are listed by name and status, changed by tag, and told to the trail without their text', async () => {
    const key = await addKey('sk-second-0123456789', 'second');
    const { data } = await server.ok(admin, rest.listProviderKeys, {
      params: one,
      query: { search: 'SEC', sort: '-name', status: 'ACTIVE' },
    });
    expect(data.map(({ id }) => id)).toEqual([key.id]);
    const { headers } = await server.call(admin, rest.getProviderKey, keyParams(key.id));
    const change = {
      ...keyParams(key.id),
      body: { weight: 9 },
      headers: { 'if-match': headers.get('etag') ?? '' },
    };
    await server.ok(admin, rest.updateProviderKey, change);
    expect((await server.refused(admin, rest.updateProviderKey, change)).status).toBe(412);
    const trail = JSON.stringify(await audited('provider-key.create'));
    expect(trail).toContain('second');
    expect(trail).not.toContain('sk-second-0123456789');
  });

  it('are at most twenty', async () => {
    await database.orm.query(
      `INSERT INTO provider_api_key (id, organisation_id, provider_id, name, key_id, nonce, ciphertext, tag, preview)
       SELECT gen_random_uuid(), $1, $2, 'k' || n, 'test', '', '', '', '…' FROM generate_series(2, 20) n`,
      [one.organisationId, one.providerId],
    );
    const body = { apiKey: 'sk-one-too-many' };
    const refused = await server.refused(admin, rest.addProviderKey, { params: one, body });
    expect(refused.status).toBe(409);
  });
});

describe('a connection test', () => {
  it('tries every active key and says which one fails, without showing it', async () => {
    const bad = await addKey('sk-bad-0123456789', 'stale');
    const tested = await server.ok(admin, rest.testProvider, { params: one, body: {} });
    expect(tested.ok).toBe(false);
    expect(tested.results).toMatchObject([
      { keyId: tenant.providerKeyId, ok: true, models: 3, failure: null },
      {
        keyId: bad.id,
        keyName: 'stale',
        ok: false,
        failure: { code: 'key_refused', field: 'apiKey', status: 401 },
      },
    ]);
    expect(JSON.stringify(tested)).not.toContain('sk-bad');
    expect(server.logs.join('')).not.toContain('sk-bad');
    const body = { keyId: tenant.providerKeyId };
    expect((await server.ok(admin, rest.testProvider, { params: one, body })).ok).toBe(true);
    const foreign = await server.refused(admin, rest.testProvider, {
      params: one,
      body: { keyId: one.providerId },
    });
    expect(foreign.status).toBe(404);
  });

  it('of settings that are not saved uses their own key and no other', async () => {
    const { organisationId } = one;
    const draft = { type: 'PROVIDER_A' as const, baseUrl: `${upstream.url}/v1` };
    const testAll = (body: object) =>
      server.ok(admin, rest.testProviderDraft, {
        params: { organisationId },
        body: { ...draft, ...body },
      });
    expect(await testAll({ apiKey: 'sk-good' })).toMatchObject({ ok: true });
    expect(await testAll({})).toMatchObject({
      ok: false,
      results: [{ keyId: null, failure: { code: 'key_missing', field: 'apiKey' } }],
    });
    const refusedAt = async (body: object) =>
      (
        await server.refused(admin, rest.testProviderDraft, {
          params: { organisationId },
          body: { ...draft, ...body },
        })
      ).path;
    expect(await refusedAt({ baseUrl: 'http://169.254.169.254/latest' })).toBe('baseUrl');
    expect(await refusedAt({ type: 'CUSTOM' })).toBe('upstreamFormat');
    expect(await refusedAt({ providerId: one.providerId })).toBe('providerId');
  });

  it('waits for no place: too many at a time are refused, and places are given back', async () => {
    const waiting: ServerResponse[] = [];
    upstream.serve(() => (response) => void waiting.push(response));
    const test = () => server.call(admin, rest.testProvider, { params: one, body: {} });
    const running = Array.from({ length: 16 }, test);
    await until(() => waiting.length === 16, 'sixteen calls at the upstream');
    expect((await test()).status).toBe(429);
    for (const response of waiting) response.end(JSON.stringify(openAiList('a')));
    await Promise.all(running);
    upstream.serve(() => ({ body: openAiList('a') }));
    expect((await test()).status).toBe(200);
  });

  it('never goes on without a key where the keys are switched off', async () => {
    const body = { status: 'DISABLED' as const };
    const key = keyParams(tenant.providerKeyId);
    await server.ok(admin, rest.updateProviderKey, { ...key, body });
    const refused = await server.refused(admin, rest.testProvider, { params: one, body: {} });
    expect(refused).toMatchObject({ status: 409, path: 'keyId' });
    expect(upstream.seen).toHaveLength(0);
  });
});

describe('discovery and import', () => {
  const models = [
    { upstreamModel: 'gpt-new', price: { steps: [{ input: '1', output: '2' }] } },
    { upstreamModel: 'gpt-test' },
    { upstreamModel: 'text-embedding-x', type: 'embeddings' as const, name: 'embed' },
    { upstreamModel: 'strange name' },
  ];

  it('finds what is not registered, registers it once, and then finds it no more', async () => {
    const ask = (registered: boolean) =>
      server.ok(admin, rest.discoverModels, { params: one, body: { registered } });
    const ids = ({ data }: rest.Discovery) => data.map(({ upstreamModel }) => upstreamModel);
    expect(ids(await ask(false))).toEqual(['gpt-new', 'text-embedding-x']);
    expect((await ask(true)).data).toMatchObject([
      {},
      { upstreamModel: 'gpt-test', modelId: tenant.modelId },
      {},
    ]);
    const imported = await server.ok(admin, rest.importModels, { params: one, body: { models } });
    expect(imported).toMatchObject({
      created: 2,
      existing: 1,
      refused: 1,
      results: [
        { outcome: 'CREATED', name: 'gpt-new' },
        { outcome: 'EXISTS', modelId: tenant.modelId },
        { outcome: 'CREATED', name: 'embed' },
        { outcome: 'NAME_INVALID', modelId: null },
      ],
    });
    expect(ids(await ask(false))).toEqual([]);
    const { data } = await server.ok(admin, rest.listModels, {
      params: { organisationId: one.organisationId },
      query: { search: 'gpt-new' },
    });
    expect(data).toMatchObject([{ type: 'chat', currentPrice: { steps: [{ input: '1.00' }] } }]);
    expect(await audited('model.import')).toHaveLength(1);

    const again = await server.ok(admin, rest.importModels, { params: one, body: { models } });
    expect(again).toMatchObject({ created: 0, existing: 3, refused: 1 });
    expect(await audited('model.import')).toHaveLength(1);
  });

  it('leaves out what no route could use, and says why', async () => {
    const params = { organisationId: one.organisationId };
    const other = await server.ok(admin, rest.createProvider, {
      params,
      body: {
        name: 'own',
        type: 'CUSTOM',
        upstreamFormat: 'openai',
        baseUrl: `${upstream.url}/v1`,
      },
    });
    const models = [
      { upstreamModel: 'whisper-own', type: 'transcription' as const },
      { upstreamModel: 'chat-own' },
    ];
    const imported = await server.ok(admin, rest.importModels, {
      params: { ...params, providerId: other.id },
      body: { models },
    });
    expect(imported).toMatchObject({
      created: 1,
      refused: 1,
      results: [
        {
          outcome: 'NOT_SERVED',
          modelId: null,
          message: expect.stringContaining('openCompatRoutes'),
        },
        { outcome: 'CREATED' },
      ],
    });
  });

  it('leaves out what would take the name of another model', async () => {
    const params = { organisationId: one.organisationId };
    const other = await server.ok(admin, rest.createProvider, {
      params,
      body: { name: 'other', type: 'PROVIDER_A', baseUrl: `${upstream.url}/v1` },
    });
    const imported = await server.ok(admin, rest.importModels, {
      params: { ...params, providerId: other.id },
      body: { models: [{ upstreamModel: 'gpt-test' }, { upstreamModel: 'gpt-new' }] },
    });
    expect(imported.results).toMatchObject([
      { outcome: 'NAME_TAKEN', modelId: null },
      { outcome: 'CREATED' },
    ]);
  });

  it('says why there is no list', async () => {
    upstream.serve(() => ({ status: 503, body: 'x' }));
    expect(await server.ok(admin, rest.discoverModels, { params: one, body: {} })).toMatchObject({
      ok: false,
      failure: { code: 'upstream_failed', field: null, status: 503 },
      data: [],
    });
  });
});
