import { rest } from '@tollgate/contracts';

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
let tenant: Tenant;
let admin: Who;

let tenants = 0;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
beforeEach(async () => {
  tenant = await createTenant(server, `tenant-${(tenants += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const rule = {
  method: 'POST',
  path: '/v1/voices/*',
  callPriceUsd: '0.01',
  requestMegabytePriceUsd: '0',
  responseMegabytePriceUsd: '1.5',
  maxRequestBytes: 1_000,
  maxResponseBytes: 2_000,
};

const provider = () =>
  ({ organisationId: tenant.organisationId, providerId: tenant.providerId }) as const;
const key = () =>
  ({ organisationId: tenant.organisationId, apiKeyId: tenant.organisationKeyId }) as const;

const withRules = (passthroughRules: unknown) =>
  ({ params: provider(), body: { passthroughRules } }) as never;

const putRules = (rules: unknown): Promise<rest.Provider> =>
  server.ok(admin, rest.updateProvider, withRules(rules));

const refusedRules = (rules: unknown) =>
  server.refused(admin, rest.updateProvider, withRules(rules));

async function resolved() {
  const { keySha256 } = await database.orm.manager.findOneByOrFail(ApiKey, {
    id: tenant.organisationKeyId,
  });
  const { keys, organisations } = await resolveKeys(database.pool, [keySha256]);
  return { context: keys[0]?.context, organisation: organisations[0] };
}

test('rules are shown as they were given, and reach policy in nano-USD', async () => {
  expect((await resolved()).organisation?.passthrough).toEqual([]);
  const { maxRequestBytes, maxResponseBytes, ...plain } = rule;
  const get = { ...plain, method: 'GET' };
  expect(await putRules([rule, get])).toMatchObject({
    passthroughRules: [
      {
        ...rule,
        callPriceUsd: '0.01',
        requestMegabytePriceUsd: '0.00',
        responseMegabytePriceUsd: '1.50',
      },
      { method: 'GET', maxRequestBytes: 1_048_576, maxResponseBytes: 10_485_760 },
    ],
  });
  const { organisation } = await resolved();
  expect(organisation?.passthrough).toMatchObject([
    {
      providerId: tenant.providerId,
      rules: [
        {
          method: 'POST',
          path: '/v1/voices/*',
          callNanoUsd: '10000000',
          requestMegabyteNanoUsd: '0',
          responseMegabyteNanoUsd: '1500000000',
          maxRequestBytes,
          maxResponseBytes,
        },
        { method: 'GET' },
      ],
    },
  ]);
});

test.each([
  ['callPriceUsd', { callPriceUsd: undefined }],
  ['requestMegabytePriceUsd', { requestMegabytePriceUsd: undefined }],
  ['responseMegabytePriceUsd', { responseMegabytePriceUsd: undefined }],
  ['callPriceUsd', { callPriceUsd: '-1' }],
  ['method', { method: 'TRACE' }],
  ['path', { path: '/v1/../admin' }],
  ['path', { path: '/v1/**/voices' }],
  ['path', { path: 'v1' }],
  ['maxRequestBytes', { maxRequestBytes: 33_554_433 }],
  ['maxResponseBytes', { maxResponseBytes: 1_073_741_825 }],
  ['callPriceUsd', { responseMegabytePriceUsd: '9000000', maxResponseBytes: 2_000_000 }],
])('a rule is refused for its %s: %j', async (field, changes) => {
  const answer = await refusedRules([rule, { ...rule, method: 'GET', ...changes }]);
  expect(answer).toMatchObject({ status: 422, path: `passthroughRules[1].${field}` });
});

test('a method and path are in one rule, and a provider has at most 50', async () => {
  expect(await refusedRules([rule, rule])).toMatchObject({ path: 'passthroughRules[1].path' });
  const many = Array.from({ length: 51 }, (_, n) => ({ ...rule, path: `/v1/${n}` }));
  expect(await refusedRules(many)).toMatchObject({ status: 422, path: 'passthroughRules' });
  expect((await putRules(many.slice(1))).passthroughRules).toHaveLength(50);
});

test('a key may call no provider until an administrator lets it, nor one that is deleted', async () => {
  const { organisationId } = tenant;
  const params = { organisationId };
  const { id } = await server.ok(admin, rest.createProvider, {
    params,
    body: {
      name: 'Voices',
      type: 'CUSTOM',
      upstreamFormat: 'openai',
      baseUrl: 'https://voices.example',
      passthroughRules: [{ ...rule, method: 'POST' }],
    },
  });
  expect((await resolved()).context?.passthroughProviderIds).toEqual([]);
  const body = { passthroughProviderIds: [id] };
  expect(await server.ok(admin, rest.updateApiKey, { params: key(), body })).toMatchObject(body);
  expect((await resolved()).context).toMatchObject(body);
  await server.ok(admin, rest.deleteProvider, { params: { organisationId, providerId: id } });
  const after = await server.ok(admin, rest.getApiKey, { params: key() });
  expect(after.passthroughProviderIds).toEqual([]);
  expect((await resolved()).organisation?.passthrough).toEqual([]);
});

test('a provider of another organisation cannot be granted', async () => {
  const other = await createTenant(server, `tenant-${(tenants += 1)}`);
  const body = { passthroughProviderIds: [other.providerId] };
  const answer = await server.refused(admin, rest.updateApiKey, { params: key(), body });
  expect(answer).toMatchObject({ status: 422, path: 'passthroughProviderIds[0]' });
});

test('nobody but an administrator lets a key call a provider', async () => {
  const params = { organisationId: tenant.organisationId };
  const body = {
    name: 'mine',
    type: 'USER' as const,
    passthroughProviderIds: [tenant.providerId],
  };
  const answer = await server.refused(tenant.callers.USER, rest.createApiKey, { params, body });
  expect(answer).toMatchObject({ status: 403, code: 'forbidden' });
});
