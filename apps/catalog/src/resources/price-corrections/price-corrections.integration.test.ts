import { rest } from '@tollgate/contracts';

import { verifyLedger } from '../../ledger';
import { rerateBatch } from '../../ledger/re-rating/rerate';
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
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };
let made = 0;

const HOUR_MS = 3_600_000;
const before = (ms: number): string => new Date(Date.now() - ms).toISOString();
const USAGE = {
  input: 1_000,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  output: 1_000,
  audioOutput: 0,
  imageOutput: 0,
  reasoning: 0,
};
/** 1,000 tokens in and 1,000 out cost 0.006 US dollars at it. */
const PRICE = { steps: [{ input: '2', output: '4' }] };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});
beforeEach(async () => {
  tenant = await createTenant(server, `acme-${String((made += 1))}`);
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  // The tenant's own request is open; the tests count those that they make.
  await server.ok(admin, rest.withdrawPriceCorrection, {
    params: { ...params, priceCorrectionId: tenant.priceCorrectionId },
  });
});

const draft = (over: object = {}) => ({
  modelId: tenant.modelId,
  from: before(2 * HOUR_MS),
  price: PRICE,
  reason: 'the model had no price',
  ...over,
});
const ask = (over: object = {}, who: Who = admin) =>
  server.call(who, rest.createPriceCorrection, { params, body: draft(over) });
const asked = async (over: object = {}): Promise<rest.PriceCorrection> =>
  rest.priceCorrection.parse((await ask(over)).body);
const of = ({ id }: { id: string }) => ({ ...params, priceCorrectionId: id });
const read = (one: { id: string }) =>
  server.ok(admin, rest.getPriceCorrection, { params: of(one) });
const approve = (one: { id: string }, body: object = {}, headers: Record<string, string> = {}) =>
  server.call(server.root, rest.approvePriceCorrection, {
    params: { priceCorrectionId: one.id },
    body,
    headers,
  });
const decline = (one: { id: string }, headers: Record<string, string> = {}) =>
  server.call(server.root, rest.declinePriceCorrection, {
    params: { priceCorrectionId: one.id },
    body: { answer: 'the price was agreed' },
    headers,
  });

/** A booked request of the tenant's user key without a price: it cost nothing. */
async function bookUnpriced(): Promise<string> {
  const entry = entryOf(chargedOf(tenant), {
    authorisedAtMs: Date.now() - HOUR_MS,
    settle: { usage: USAGE, units: {}, priceId: '', costNanoUsd: '0' },
  });
  await appendNext(database.pool, tenant, [entry]);
  return entry.requestId;
}

async function runRerates(): Promise<void> {
  while ((await rerateBatch(database.pool)) !== 'IDLE');
}

test('asking, approving: the requests are re-rated, and the asking administrator reads the state', async () => {
  const requestId = await bookUnpriced();
  const one = await asked();
  expect(one).toMatchObject({
    status: 'OPEN',
    requests: 1,
    chargedUsd: '0.00',
    requestedBy: tenant.userIds.ORG_ADMIN,
    requestedByName: 'ORG_ADMIN',
    rerate: null,
    decidedAt: null,
  });
  const { status, body } = await approve(one, { answer: 'done' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'APPROVED', answer: 'done', rerate: { status: 'PENDING' } });
  await runRerates();

  const after = await read(one);
  expect(after.rerate).toMatchObject({ status: 'DONE', records: 1, changed: 1 });
  const record = await server.ok(admin, rest.getUsageRecord, { params: { ...params, requestId } });
  expect(after.rerate?.differenceUsd).toBe('0.006');
  expect(record.adjustments).toMatchObject([
    { kind: 'RERATE', costUsd: '0.006', reason: 'the model had no price' },
  ]);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

test('declining says why, books nothing, and ends it', async () => {
  await bookUnpriced();
  const one = await asked();
  expect((await decline(one)).status).toBe(200);
  expect(await read(one)).toMatchObject({
    status: 'DECLINED',
    answer: 'the price was agreed',
    rerate: null,
  });
  for (const again of [decline(one), approve(one)]) expect((await again).status).toBe(409);
  const withdrawn = await server.call(admin, rest.withdrawPriceCorrection, { params: of(one) });
  expect(withdrawn.status).toBe(409);
  const { data } = await server.ok(server.root, rest.listRerates, { params });
  expect(data).toEqual([]);
});

test('of two decisions at once one holds', async () => {
  const one = await asked();
  const answers = await Promise.all([approve(one), decline(one)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

test('a decision about an outdated version is refused', async () => {
  const one = await asked();
  const { headers } = await server.call(admin, rest.getPriceCorrection, { params: of(one) });
  const etag = headers.get('etag') ?? '';
  for (const stale of [
    approve(one, {}, { 'if-match': '"old"' }),
    decline(one, { 'if-match': '"old"' }),
  ]) {
    expect((await stale).status).toBe(412);
  }
  expect((await decline(one, { 'if-match': etag })).status).toBe(200);
});

test('while another re-rating of the organisation runs, an approval waits with the operator', async () => {
  const [first, second] = [await asked(), await asked()];
  expect((await approve(first)).status).toBe(200);
  const refused = await approve(second);
  expect(refused.status).toBe(409);
  expect(rest.errorBody.parse(refused.body).error.details[0]?.message).toMatch(/another re-rating/);
  expect((await read(second)).status).toBe('OPEN');
  await runRerates();
  expect((await approve(second)).status).toBe(200);
});

test('the trail has who asked, who decided, and what was re-rated', async () => {
  const one = await asked();
  const approved = rest.priceCorrection.parse((await approve(one)).body);
  const open = await asked();
  await server.ok(admin, rest.withdrawPriceCorrection, { params: of(open) });
  const { data } = await server.ok(admin, rest.listAuditEvents, { params });
  const eventOf = (action: string, id: string | undefined) =>
    data.find(({ action: found, target }) => found === action && target.id === id);
  expect(eventOf('price-correction.create', one.id)).toMatchObject({
    actor: { id: tenant.userIds.ORG_ADMIN },
    after: { rerateId: null },
  });
  const root = await server.ok(server.root, rest.getMe);
  expect(approved.rerate?.id).toBeDefined();
  expect(eventOf('price-correction.approve', one.id)).toMatchObject({
    actor: { id: root.id },
    before: { status: 'OPEN' },
    after: { status: 'APPROVED', rerateId: approved.rerate?.id },
  });
  expect(eventOf('rerate.create', approved.rerate?.id)).toMatchObject({ actor: { id: root.id } });
  expect(eventOf('price-correction.withdraw', open.id)).toMatchObject({
    actor: { id: tenant.userIds.ORG_ADMIN },
  });
});

test('a correction keeps the name of a model that is deleted', async () => {
  const { id: modelId } = await server.ok(admin, rest.createModel, {
    params,
    body: { name: 'slate', providerId: tenant.providerId },
  });
  const one = await asked({ modelId });
  await server.ok(admin, rest.deleteModel, { params: { ...params, modelId } });
  expect((await read(one)).modelName).toBe('slate');
  expect((await approve(one)).body).toMatchObject({ modelName: 'slate' });
});

test('another organisation sees none of it; managers and users may not', async () => {
  const one = await asked();
  const rival = await createTenant(server, `rival-${String(made)}`);
  const theirs = { organisationId: rival.organisationId };
  const { ORG_ADMIN } = rival.callers;
  const { data } = await server.ok(ORG_ADMIN, rest.listPriceCorrections, { params: theirs });
  expect(data.map(({ id }) => id)).toEqual([rival.priceCorrectionId]);
  for (const at of [of(one), { ...of(one), ...theirs }]) {
    const { status } = await server.call(ORG_ADMIN, rest.getPriceCorrection, { params: at });
    expect(status).toBe(404);
  }
  const foreign = await server.call(ORG_ADMIN, rest.createPriceCorrection, {
    params: theirs,
    body: draft(),
  });
  expect(foreign.status).toBe(422);
  for (const role of ['MANAGER', 'USER'] as const) {
    expect((await ask({}, tenant.callers[role])).status).toBe(403);
  }
  const ofPlatform = await server.ok(server.root, rest.listPlatformPriceCorrections, {
    query: { status: 'OPEN', limit: 200 },
  });
  const ids = ofPlatform.data.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([one.id, rival.priceCorrectionId]));
});

test('an organisation has at most 20 open ones, also when they are asked for at once', async () => {
  const statuses = async (count: number): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: count }, () => ask()));
    return answers.map(({ status }) => status);
  };
  await statuses(rest.PRICE_CORRECTIONS_OPEN - 1);
  expect((await statuses(2)).toSorted((a, b) => a - b)).toEqual([201, 409]);
  const { data } = await server.ok(admin, rest.listPriceCorrections, { params });
  await decline(data[0] ?? { id: '' });
  expect((await ask()).status).toBe(201);
});

test.each([
  [{ to: '2099-01-01T00:00:00Z' }, 'to'],
  [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
  [{ from: '2020-01-01T00:00:00Z' }, 'from'],
  [{ reason: ' ' }, 'reason'],
  [{ reason: 'x'.repeat(501) }, 'reason'],
  [{ price: { steps: [] } }, 'price.steps'],
  [{ modelId: '019aa000-0000-7000-8000-000000000000' }, 'modelId'],
])('%j is refused at its field', async (over, path) => {
  const { status, body } = await ask(over);
  expect(status).toBe(422);
  expect(rest.errorBody.parse(body).error.details[0]?.path).toBe(path);
});
