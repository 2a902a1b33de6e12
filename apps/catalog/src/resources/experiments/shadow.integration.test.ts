import { emptyUsage, rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { resolveKeys } from '../../directory/resolve-keys';
import { ApiKey } from '../../entities/api-key.entity';
import { addRefusals } from '../../ledger/reports/key-refusals';
import { rebuildRollups } from '../../ledger/verify/rebuild';
import { verifyLedger } from '../../ledger/verify/verify';
import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, entryOf, startTestDatabases, type TestDatabases } from '../../test-support';

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
let asked: string;
let next: string;
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

const shadow = (changes: object = {}) => ({
  modelId: next,
  samplePercent: 25,
  dailyUsd: '5',
  ...changes,
});
const create = (body: object = {}) =>
  server.call(admin, rest.createExperiment, {
    params,
    body: {
      name: 'trial',
      model: 'asked',
      arms: [{ name: 'control', modelId: asked, share: 100 }],
      shadow: shadow(),
      ...body,
    },
  });
const update = (experimentId: string, body: object) =>
  server.ok(admin, rest.updateExperiment, { params: { ...params, experimentId }, body });
const made = async (body: object = {}): Promise<string> => {
  const reply = await create(body);
  expect(reply.status).toBe(201);
  return (reply.body as { id: string }).id;
};

/** The shadow that the data plane gets. */
async function told() {
  const key = await database.orm.manager.findOneByOrFail(ApiKey, { id: acme.userKeyId });
  const reply = await resolveKeys(database.pool, [key.keySha256]);
  const [organisation] = reply.organisations;
  const experiment = organisation?.experiments?.find(({ model }) => model === 'asked');
  const limits = [...(organisation?.limits ?? []), ...(reply.keys[0]?.context?.limits ?? [])];
  return { shadow: experiment?.shadow, limits };
}

const faultOf = ({ status, body }: { status: number; body: unknown }) => {
  const { error } = body as { error: { details?: { path: string }[] } };
  return [status, error.details?.[0]?.path ?? ''];
};

test('a shadow reaches the data plane with a daily budget that no key has', async () => {
  const experimentId = await made();
  const { shadow: entry, limits } = await told();
  expect(entry).toMatchObject({
    modelId: next,
    samplePercent: 25,
    budget: {
      kind: 'BUDGET',
      scopeType: 'API_KEY',
      scopeId: experimentId,
      period: 'DAILY',
      mode: 'HARD',
      limit: '5000000000',
      clamp: false,
    },
  });
  expect(limits.map(({ limitId }) => limitId)).not.toContain(entry?.budget?.limitId);
  const changed = await update(experimentId, { shadow: shadow({ dailyUsd: '7.5' }) });
  expect(changed.shadow).toEqual(shadow({ dailyUsd: '7.50' }));
  expect((await told()).shadow?.budget).toEqual({ ...entry?.budget, limit: '7500000000' });
  expect((await update(experimentId, { shadow: null })).shadow).toBeNull();
  expect((await told()).shadow).toBeNull();
});

test.each<[string, object, string]>([
  ['a share above 100', { samplePercent: 101 }, 'shadow.samplePercent'],
  ['a share of nothing', { samplePercent: 0 }, 'shadow.samplePercent'],
  ['a budget of nothing', { dailyUsd: '0.00' }, 'shadow.dailyUsd'],
  ['no budget', { dailyUsd: undefined }, 'shadow.dailyUsd'],
  ['an unknown model', { modelId: uuidv7() }, 'shadow.modelId'],
])('%s is refused by its field', async (_, changes, field) => {
  expect(faultOf(await create({ shadow: shadow(changes) }))).toEqual([422, field]);
});

test('an arm cannot have the name of the shadow, and a model of another type is refused', async () => {
  const arms = [{ name: 'shadow', modelId: asked, share: 100 }];
  expect(faultOf(await create({ arms }))).toEqual([422, 'arms[0].name']);
  const modelId = await newModel('vectors', { type: 'embeddings' });
  expect(faultOf(await create({ shadow: shadow({ modelId }) }))).toEqual([422, 'shadow.modelId']);
});

test('the model of a shadow cannot be deleted before the experiment has ended', async () => {
  const experimentId = await made();
  const remove = () =>
    server.call(admin, rest.deleteModel, { params: { ...params, modelId: next } });
  expect(faultOf(await remove())).toEqual([409, 'modelId']);
  await update(experimentId, { shadow: null });
  expect((await remove()).status).toBe(204);
});

test('the budget is shown with the experiment only, and goes with it', async () => {
  const experimentId = await made();
  const { shadow: entry } = await told();
  const budgetId = entry?.budget?.limitId ?? '';
  const { data } = await server.ok(admin, rest.listBudgets, { params });
  expect(data.map(({ id }) => id)).not.toContain(budgetId);
  const reply = await server.call(admin, rest.getBudget, { params: { ...params, budgetId } });
  expect(reply.status).toBe(404);
  await server.call(admin, rest.deleteExperiment, { params: { ...params, experimentId } });
  const { rows } = await database.pool.query('SELECT FROM budget WHERE id = $1', [budgetId]);
  expect(rows).toEqual([]);
});

async function book(experimentId: string, costNanoUsd: string, changes: object = {}) {
  const shadowOf = uuidv7();
  const charged = {
    ...chargedOf(acme),
    modelId: next,
    teamId: '',
    userId: '',
    apiKeyId: experimentId,
  };
  await appendNext(database.pool, acme, [
    entryOf(charged, {
      requestId: uuidv7(),
      authorisedAtMs: Date.now(),
      timeZone: 'UTC',
      settle: {
        modelId: next,
        experimentId,
        experimentArm: 'shadow',
        shadowOf,
        costNanoUsd,
        usage: { ...emptyUsage(), input: 60, output: 10 },
        latencyMs: 400,
        firstTokenMs: 40,
        ...changes,
      },
    }),
  ]);
  return shadowOf;
}

test('a record of a shadow counts for its budget alone, and the books agree', async () => {
  const experimentId = await made();
  const of = { apiKeyId: acme.userKeyId };
  const shadowOf = await book(experimentId, '2000000000');
  const { data } = await server.ok(admin, rest.listUsageRecords, {
    params,
    query: { experimentId, experimentArm: 'shadow' },
  });
  expect(data).toMatchObject([
    { experimentId, experimentArm: 'shadow', shadowOf, costUsd: '2.00' },
  ]);
  expect((await server.ok(admin, rest.listUsageRecords, { params, query: of })).data).toEqual([]);
  // The window is the sum over the scope, also where the budget is taken away and given again.
  await update(experimentId, { shadow: null });
  await update(experimentId, { shadow: shadow() });
  await book(experimentId, '1000000000');
  const compared = await compare(experimentId);
  expect(compared.shadow).toMatchObject({ dailyUsd: '5.00', spentTodayUsd: '3.00', requests: 2 });
  expect((await verifyLedger(database.pool)).windowBreaches).toEqual([]);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
  await rebuildRollups(database.pool);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

const compare = (experimentId: string) =>
  server.ok(admin, rest.compareExperiment, { params: { ...params, experimentId } });

test('the comparison has the shadow beside the arms, and why others were not sent', async () => {
  const experimentId = await made();
  await book(experimentId, '2000000000');
  await book(experimentId, '0', {
    outcome: 'FAILED',
    httpStatus: 502,
    errorCode: 'upstream_error',
    firstTokenMs: 0,
  });
  const skip = (code: string, count: number) => ({
    organisationId: acme.organisationId,
    apiKeyId: experimentId,
    code,
    about: '',
    reason: '',
    count,
    firstAtMs: Date.now(),
    lastAtMs: Date.now(),
    requestId: uuidv7(),
    model: '',
    message: 'not sent',
    limit: null,
    detailsJson: '',
  });
  await addRefusals(database.pool, [skip('budget_exceeded', 3), skip('overloaded', 1)]);
  await addRefusals(database.pool, [skip('budget_exceeded', 2)]);
  const { arms, shadow: compared } = await compare(experimentId);
  expect(arms.map(({ arm }) => arm)).toEqual(['control']);
  expect(compared).toMatchObject({
    arm: 'shadow',
    modelId: next,
    model: 'next',
    samplePercent: 25,
    requests: 2,
    errors: 1,
    errorCodes: [{ code: 'upstream_error', requests: 1 }],
    firstTokenMs: { p50: 40, p95: 40 },
    costUsd: '2.00',
    skipped: [
      { code: 'budget_exceeded', requests: 5 },
      { code: 'overloaded', requests: 1 },
    ],
  });
  // Figures are of one model.
  await update(experimentId, { shadow: shadow({ modelId: await newModel('third') }) });
  expect((await compare(experimentId)).shadow).toMatchObject({ model: 'third', requests: 0 });
});
