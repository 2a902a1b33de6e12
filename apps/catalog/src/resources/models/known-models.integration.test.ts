import { rest } from '@tollgate/contracts';

import { knownModel } from '../../known-models/known-models';
import {
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { startTestDatabases, type TestDatabases } from '../../test-support';
import {
  openAiList,
  startUpstream,
  type UpstreamServer,
} from '../providers/test-support/upstream-server';

// The list of known models reaches people as an offer: at the import of models, beside each price,
// and as a price list. No stored price changes by itself.

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let upstream: UpstreamServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

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
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await upstream.stop();
  await server.stop();
  await databases.stop();
});

const OPENAI = { type: 'PROVIDER_A', baseUrl: 'https://api.openai.com/v1' } as const;
const known = knownModel(OPENAI, 'gpt-4o-mini');

async function createModel(name: string, prices: rest.PriceCreate[] = []): Promise<rest.Model> {
  const body = { name, providerId: tenant.providerId, prices };
  return server.ok(admin, rest.createModel, { params, body });
}

const modelNow = (modelId: string): Promise<rest.Model> =>
  server.ok(admin, rest.getModel, { params: { ...params, modelId } });
const takeOver = (models: string[] | undefined, dryRun: boolean) => ({
  params,
  body: { format: 'known_models' as const, ...(models && { models }), dryRun },
});

test('discovery says what the list knows of a model, and an import registers it so', async () => {
  upstream.serve(() => ({ body: openAiList('gpt-4o-mini-2024-07-18', 'in-house') }));
  const provider = await server.ok(admin, rest.createProvider, {
    params,
    body: { name: 'vendor', type: 'PROVIDER_A', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-1' },
  });
  const one = { ...params, providerId: provider.id };
  const { data } = await server.ok(admin, rest.discoverModels, { params: one, body: {} });
  expect(data).toMatchObject([
    {
      upstreamModel: 'gpt-4o-mini-2024-07-18',
      known: {
        vendor: 'OpenAI',
        name: 'gpt-4o-mini',
        contextTokens: 128_000,
        maxOutputTokens: 16_384,
        capabilities: ['tools', 'vision'],
        seen: known?.sources[0]?.seen,
        sourceUrl: known?.sources[0]?.url,
        price: { steps: [{ input: '0.15', cacheRead: '0.075', output: '0.60' }] },
      },
    },
    { upstreamModel: 'in-house', known: null },
  ]);
  const [listed] = data;
  if (!listed?.known) throw new Error('the model is not known');
  const { price, capabilities, maxOutputTokens, contextTokens } = listed.known;
  const body = {
    models: [
      {
        upstreamModel: listed.upstreamModel,
        ...(contextTokens !== null && { contextTokens }),
        maxOutputTokens,
        capabilities,
        price,
      },
    ],
  };
  const { results } = await server.ok(admin, rest.importModels, { params: one, body });
  const modelId = results[0]?.modelId ?? '';
  expect(await modelNow(modelId)).toMatchObject({
    capabilities: ['tools', 'vision'],
    maxOutputTokens: 16_384,
    currentPrice: price,
    listPrice: { vendor: 'OpenAI', differs: false },
  });
});

test('a model names the listed price where its own differs, and where it has none', async () => {
  const other = await createModel('gpt-4o', [
    rest.priceCreate.parse({ steps: [{ input: '1', output: '2' }] }),
  ]);
  const unpriced = await createModel('gpt-4o-mini');
  const unknown = await createModel('in-house');
  expect(other.listPrice).toMatchObject({ differs: true, price: { steps: [{ input: '2.50' }] } });
  expect(unpriced.listPrice).toMatchObject({ differs: true });
  expect(unknown.listPrice).toBeNull();
  const { data } = await server.ok(admin, rest.listModels, { params, query: { sort: 'name' } });
  expect(data.map(({ name, listPrice }) => [name, listPrice?.differs ?? null])).toEqual([
    ['gpt-4o', true],
    ['gpt-4o-mini', true],
    ['gpt-test', null],
    ['in-house', null],
  ]);
});

test('the list is a price list: tried, taken over from now on, and then a no-op', async () => {
  await createModel('gpt-4o', [rest.priceCreate.parse({ steps: [{ input: '1', output: '2' }] })]);
  const { id } = await createModel('gpt-4o-mini');
  const tried = await server.ok(admin, rest.importPrices, takeOver(undefined, true));
  expect(tried).toMatchObject({
    applied: false,
    added: 2,
    faults: [],
    rows: [
      { model: 'gpt-4o', action: 'ADD', before: { steps: [{ input: '1.00' }] } },
      { model: 'gpt-4o-mini', action: 'ADD', before: null },
    ],
  });
  expect((await modelNow(id)).currentPrice).toBeNull();
  const done = await server.ok(admin, rest.importPrices, takeOver(undefined, false));
  expect(done).toMatchObject({ applied: true, added: 2 });
  expect(await modelNow(id)).toMatchObject({
    currentPrice: { effectiveFrom: done.rows[1]?.effectiveFrom },
    listPrice: { differs: false },
  });
  server.clock.advance(60_000);
  const again = await server.ok(admin, rest.importPrices, takeOver(undefined, false));
  expect(again).toMatchObject({ added: 0, unchanged: 2 });
});

test('named models are priced alone; one that the list does not know is a fault', async () => {
  await createModel('gpt-4o');
  await createModel('gpt-4o-mini');
  const one = await server.ok(admin, rest.importPrices, takeOver(['gpt-4o'], true));
  expect(one.rows.map(({ model }) => model)).toEqual(['gpt-4o']);
  const body = takeOver(['gpt-4o', 'gpt-test', 'nobody'], false);
  const refused = await server.refused(admin, rest.importPrices, body);
  expect(refused).toMatchObject({ status: 422, path: 'models: gpt-test' });
  const tried = await server.ok(admin, rest.importPrices, takeOver(['gpt-test'], true));
  expect(tried).toMatchObject({ rows: [], faults: [{ column: 'gpt-test' }] });
});

test('a newer list is no edit: the tag of a model stays, so a started edit is saved', async () => {
  const { id } = await createModel('gpt-4o-mini');
  const read = await server.call(admin, rest.getModel, { params: { ...params, modelId: id } });
  await server.ok(admin, rest.importPrices, takeOver(['gpt-4o-mini'], false));
  const then = await server.call(admin, rest.getModel, { params: { ...params, modelId: id } });
  const tag = read.headers.get('etag');
  expect(tag).toMatch(/^"/);
  expect(then.headers.get('etag')).toBe(tag);
});

test('the list has no percentages of tiers: those of the price in effect stay', async () => {
  const tierPercent = { priority: 200, flex: 50 };
  const dear = rest.priceCreate.parse({ steps: [{ input: '1', output: '2' }], tierPercent });
  const { id, listPrice } = await createModel('gpt-4o-mini', [dear]);
  expect(listPrice).toMatchObject({ differs: true, price: { tierPercent } });
  await server.ok(admin, rest.importPrices, takeOver(['gpt-4o-mini'], false));
  expect(await modelNow(id)).toMatchObject({
    currentPrice: { tierPercent },
    listPrice: { differs: false },
  });
});
