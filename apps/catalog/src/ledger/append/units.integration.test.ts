import { costNanoUsd, emptyUsage, priceFromWire, rest } from '@tollgate/contracts';
import { hashApiKey } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';

import { resolveKey } from '../../directory/resolve-key';
import { createTenant, startRest, type RestServer, type Tenant } from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';
import { verifyLedger } from '../verify/verify';

// Prices by unit, from setting them to the booked record.

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const perUnitUsd = {
  image: '0.04',
  image_high_1024x1024: '0.167',
  image_low_1024x1536: '0.016',
  audio_second: '0.0001',
} as const;

async function pricedModel(name: string) {
  const admin = tenant.callers.ORG_ADMIN;
  const params = { organisationId: tenant.organisationId };
  const model = await server.ok(admin, rest.createModel, {
    params,
    body: {
      name,
      providerId: tenant.providerId,
      type: 'image',
      displayName: 'Drawer',
      maxOutputTokens: 5_000,
      prices: [{ steps: [{ input: '5', output: '40' }], perUnitUsd }],
    },
  });
  const { key } = await server.ok(admin, rest.createApiKey, {
    params,
    body: { name, type: 'ORGANISATION', modelIds: [model.id] },
  });
  return { model, key };
}

test('a price by unit is told as it was set', async () => {
  const { model } = await pricedModel('drawer-1');
  expect(model).toMatchObject({
    displayName: 'Drawer',
    maxOutputTokens: 5_000,
    // The default is the model's own maximum.
    defaultMaxOutputTokens: 5_000,
    currentPrice: { perUnitUsd },
  });
});

test('a unit that nothing is measured in has no price', async () => {
  const refused = await server.refused(tenant.callers.ORG_ADMIN, rest.addPrice, {
    params: { organisationId: tenant.organisationId, modelId: tenant.modelId },
    body: { steps: [{ input: '1', output: '1' }], perUnitUsd: { image_huge: '1' } } as never,
  });
  expect(refused.status).toBe(422);
});

test('percentages of tiers are told as they were set, and reach decisions', async () => {
  const admin = tenant.callers.ORG_ADMIN;
  const params = { organisationId: tenant.organisationId };
  const tierPercent = { priority: 200, flex: 62.5 };
  const model = await server.ok(admin, rest.createModel, {
    params,
    body: {
      name: 'tiered',
      providerId: tenant.providerId,
      prices: [{ steps: [{ input: '5', output: '40' }], tierPercent }],
    },
  });
  expect(model.currentPrice).toMatchObject({ tierPercent });
  const body = { name: 'tiered', type: 'ORGANISATION' as const, modelIds: [model.id] };
  const { key } = await server.ok(admin, rest.createApiKey, { params, body });
  const { context } = await resolveKey(database.pool, hashApiKey(key));
  const entry = context?.models?.find(({ modelId }) => modelId === model.id);
  expect(priceFromWire(entry?.prices?.[0] ?? {}).tierPercent).toEqual(tierPercent);
});

test.each([{ hyper: 200 }, { priority: 0 }, { priority: 10_001 }, { flex: 33.333 }])(
  'the percentages %j are refused at their field',
  async (tierPercent) => {
    const refused = await server.refused(tenant.callers.ORG_ADMIN, rest.addPrice, {
      params: { organisationId: tenant.organisationId, modelId: tenant.modelId },
      body: { steps: [{ input: '1', output: '1' }], tierPercent },
    });
    expect(refused).toMatchObject({
      status: 422,
      path: expect.stringMatching(/^tierPercent/) as string,
    });
  },
);

test('what is made is charged by it and shown in the record', async () => {
  const { model, key } = await pricedModel('drawer-2');
  const { context } = await resolveKey(database.pool, hashApiKey(key));
  const entry = context?.models?.find(({ modelId }) => modelId === model.id);
  expect(entry).toMatchObject({ displayName: 'Drawer', maxOutputTokens: 5_000, granted: true });
  const [wire] = entry?.prices ?? [];
  const price = priceFromWire(wire ?? {});
  expect(price.perUnitNanoUsd).toEqual({
    image: 40_000_000n,
    image_high_1024x1024: 167_000_000n,
    image_low_1024x1536: 16_000_000n,
    audio_second: 100_000n,
  });

  const units = { image_high_1024x1024: '2', image_hd_512x512: '1', audio_second: '2.5' };
  const usage = { ...emptyUsage(), input: 1_000 };
  const cost = costNanoUsd(price, usage, units);
  // 1,000 × $5/M + 2 × $0.167 + 1 × $0.04 (no price of its own) + 2.5 × $0.0001
  expect(cost).toBe(5_000_000n + 334_000_000n + 40_000_000n + 250_000n);

  const subject = context?.subject;
  const owner = {
    organisationId: tenant.organisationId,
    slug: subject?.organisationSlug ?? '',
    teamId: '',
    userId: '',
    apiKeyId: subject?.apiKeyId ?? '',
    modelId: model.id,
    providerId: tenant.providerId,
  };
  const requestId = uuidv7();
  await appendNext(database.pool, owner, [
    entryOf(owner, {
      requestId,
      modelName: model.name,
      operation: 'image_generation',
      settle: { units, usage, costNanoUsd: cost.toString(), priceId: price.priceId },
    }),
  ]);
  const record = await server.ok(tenant.callers.ORG_ADMIN, rest.getUsageRecord, {
    params: { organisationId: tenant.organisationId, requestId },
  });
  expect(record).toMatchObject({ units, costUsd: '0.37925', priceId: price.priceId });
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});
