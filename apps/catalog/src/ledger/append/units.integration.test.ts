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

test('prices of images are told as they were set, else as those of text, and reach decisions', async () => {
  const admin = tenant.callers.ORG_ADMIN;
  const params = { organisationId: tenant.organisationId };
  const step = { input: '5', output: '40' };
  const model = await server.ok(admin, rest.createModel, {
    params,
    body: {
      name: 'draws',
      providerId: tenant.providerId,
      prices: [
        { effectiveFrom: '2020-01-01T00:00:00Z', steps: [step] },
        { steps: [{ ...step, imageInput: '6', imageOutput: '70' }] },
      ],
    },
  });
  expect(model.currentPrice?.steps).toMatchObject([{ imageInput: '6.00', imageOutput: '70.00' }]);
  const body = { name: 'draws', type: 'ORGANISATION' as const, modelIds: [model.id] };
  const { key } = await server.ok(admin, rest.createApiKey, { params, body });
  const { context } = await resolveKey(database.pool, hashApiKey(key));
  const entry = context?.models?.find(({ modelId }) => modelId === model.id);
  const steps = entry?.prices?.map((wire) => priceFromWire(wire).steps[0]);
  expect(steps?.at(-1)).toMatchObject({ imageInput: 6_000_000_000n, imageOutput: 70_000_000_000n });

  // A price that was set before images had their own.
  await database.pool.query(
    `UPDATE price SET steps = (SELECT jsonb_agg(step - 'imageInput' - 'imageOutput') FROM jsonb_array_elements(steps) step)
     WHERE model_id = $1`,
    [model.id],
  );
  const old = await server.ok(admin, rest.getModel, { params: { ...params, modelId: model.id } });
  expect(old.currentPrice?.steps).toMatchObject([{ imageInput: '5.00', imageOutput: '40.00' }]);
  const again = await resolveKey(database.pool, hashApiKey(key));
  const kept = again.context?.models?.find(({ modelId }) => modelId === model.id);
  const [before] = priceFromWire(kept?.prices?.at(-1) ?? {}).steps;
  expect(before).toMatchObject({ imageInput: 5_000_000_000n, imageOutput: 40_000_000_000n });
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
  const usage = { ...emptyUsage(), input: 1_000, imageInput: 50, imageOutput: 4_000 };
  const cost = costNanoUsd(price, usage, units);
  // 1,050 × $5/M + 4,000 × $40/M + 2 × $0.167 + 1 × $0.04 (no price of its own) + 2.5 × $0.0001
  expect(cost).toBe(5_250_000n + 160_000_000n + 334_000_000n + 40_000_000n + 250_000n);

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
  expect(record).toMatchObject({ units, costUsd: '0.5395', priceId: price.priceId });
  expect(record.tokens).toMatchObject({
    input: 1_000,
    imageInput: 50,
    output: 0,
    imageOutput: 4_000,
  });
  const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.getUsageRollup, {
    params: { organisationId: tenant.organisationId },
    query: { bucket: 'total', groupBy: 'model' },
  });
  const sums = data.find(({ group }) => group?.id === model.id);
  expect(sums?.tokens).toMatchObject({ imageInput: 50, imageOutput: 4_000 });
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});
