import { rest } from '@tollgate/contracts';

import {
  bookRollup,
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
let one: { organisationId: string; modelId: string };

let tenants = 0;
beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
});
beforeEach(async () => {
  tenant = await createTenant(server, `tenant-${(tenants += 1)}`);
  admin = tenant.callers.ORG_ADMIN;
  one = { organisationId: tenant.organisationId, modelId: tenant.modelId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const inMinutes = (minutes: number) => inDays(minutes / 1_440);
const inDays = (days: number) => new Date(server.clock.now() + days * DAY_MS).toISOString();
const steps = (input: string) => [{ input, output: '10' }];
const history = async (query: { state?: 'PAST' | 'CURRENT' | 'SCHEDULED' } = {}) =>
  (await server.ok(admin, rest.listPrices, { params: one, query })).data.map(
    ({ state, steps: [step] }) => `${state} ${step?.input}`,
  );
const news = async (): Promise<number> => {
  const [row] = await database.orm.query(
    `SELECT count(*)::int AS n FROM outbox_event WHERE organisation_id = $1`,
    [tenant.organisationId],
  );
  return row.n;
};

test('a price is scheduled, comes into effect, and is part of the history', async () => {
  const body = { steps: steps('3'), effectiveFrom: inMinutes(2) };
  await server.ok(admin, rest.addPrice, { params: one, body });
  const gone = await server.ok(admin, rest.addPrice, {
    params: one,
    body: { steps: steps('4'), effectiveFrom: inMinutes(3) },
  });
  expect(await history()).toEqual(['SCHEDULED 4.00', 'SCHEDULED 3.00', 'CURRENT 2.50']);
  await server.ok(admin, rest.deletePrice, { params: { ...one, priceId: gone.id } });
  server.clock.advance(2 * MINUTE_MS);
  expect(await history()).toEqual(['CURRENT 3.00', 'PAST 2.50']);
  expect(await history({ state: 'PAST' })).toEqual(['PAST 2.50']);
  const { data } = await server.ok(admin, rest.listPrices, { params: one });
  expect(data[1]?.effectiveUntil).toBe(data[0]?.effectiveFrom);
  const begun = { params: { ...one, priceId: data[0]?.id ?? '' } };
  expect((await server.refused(admin, rest.deletePrice, begun)).status).toBe(409);
});

test('a past price is not written over: the re-rating that corrects it is offered', async () => {
  const price = { steps: steps('2') };
  const past = await server.refused(admin, rest.addPrice, {
    params: one,
    body: { ...price, effectiveFrom: inDays(-1) },
  });
  expect(past).toMatchObject({ status: 422, path: 'effectiveFrom' });
  await bookRollup(database.orm, tenant, server.clock.now() - DAY_MS / 2, 5_000_000n);
  await bookRollup(database.orm, tenant, server.clock.now() - 9 * DAY_MS, 5_000_000n);
  const ask = { params: one, body: { from: inDays(-1), price } };
  const offer = await server.ok(admin, rest.offerCorrection, ask);
  expect(offer).toMatchObject({
    requests: 1,
    chargedUsd: '0.005',
    rerate: { modelId: tenant.modelId, price: { steps: [{ input: '2.00' }] } },
    mayApply: false,
  });
  const { mayApply } = await server.ok(server.root, rest.offerCorrection, ask);
  expect(mayApply).toBe(true);
  // The offer is a valid request for a re-rating.
  const { organisationId } = one;
  const body = { ...offer.rerate, reason: 'the list was wrong', dryRun: true };
  await server.ok(server.root, rest.createRerate, { params: { organisationId }, body });
  const ahead = { params: one, body: { from: inDays(-1), to: inDays(1), price } };
  expect((await server.refused(admin, rest.offerCorrection, ahead)).path).toBe('to');
});

describe('a price list', () => {
  const send = (content: string, dryRun: boolean, format: 'csv' | 'json' = 'csv') => ({
    params: { organisationId: one.organisationId },
    body: { format, content, dryRun },
  });
  const list = () =>
    [
      'model,effective_from,input,output',
      'gpt-test,,2.50,10',
      `gpt-test,${inDays(1)},5,20`,
      // The same price as today, but a change, because of the line before.
      `gpt-test,${inDays(2)},2.50,10`,
    ].join('\n');

  it('is tried without a change, then applied once', async () => {
    const content = list();
    const before = await news();
    const tried = await server.ok(admin, rest.importPrices, send(content, true));
    expect(tried).toMatchObject({
      applied: false,
      added: 2,
      unchanged: 1,
      faults: [],
      rows: [
        { line: 2, action: 'UNCHANGED' },
        {
          line: 3,
          action: 'ADD',
          model: 'gpt-test',
          before: { steps: [{ input: '2.50' }] },
          after: { steps: [{ input: '5.00' }] },
        },
        { line: 4, action: 'ADD', before: { steps: [{ input: '5.00' }] } },
      ],
    });
    expect(await history()).toHaveLength(1);
    const done = await server.ok(admin, rest.importPrices, send(content, false));
    expect(done).toMatchObject({ applied: true, added: 2 });
    expect(await history()).toEqual(['SCHEDULED 2.50', 'SCHEDULED 5.00', 'CURRENT 2.50']);
    expect((await news()) - before).toBe(1);
    const again = await server.ok(admin, rest.importPrices, send(content, false));
    expect(again).toMatchObject({ added: 0, unchanged: 3 });
    expect(await history()).toHaveLength(3);
  });

  it('with a fault is told whole and changes nothing', async () => {
    const content = `${list()}\nnobody,,1,1\ngpt-test,${inDays(-3)},7,7`;
    const tried = await server.ok(admin, rest.importPrices, send(content, true));
    expect(tried.faults).toMatchObject([
      { line: 6, column: 'effective_from' },
      { line: 5, column: 'model' },
    ]);
    const refused = await server.refused(admin, rest.importPrices, send(content, false));
    expect(refused).toMatchObject({ status: 422, path: 'content: line 6, effective_from' });
    expect(await history()).toHaveLength(1);
  });

  it('may be JSON, and reaches the models of the own organisation only', async () => {
    const other = await createTenant(server, `rival-${tenants}`);
    const { name } = await server.ok(other.callers.ORG_ADMIN, rest.updateModel, {
      params: { organisationId: other.organisationId, modelId: other.modelId },
      body: { name: 'theirs' },
    });
    const items = [{ model: 'gpt-test', steps: steps('6') }];
    const content = JSON.stringify(items);
    expect(await server.ok(admin, rest.importPrices, send(content, false, 'json'))).toMatchObject({
      added: 1,
    });
    const foreign = JSON.stringify([{ model: name, steps: steps('6') }]);
    expect(
      (await server.ok(admin, rest.importPrices, send(foreign, true, 'json'))).faults,
    ).toMatchObject([{ column: '[0].model' }]);
  });
});
