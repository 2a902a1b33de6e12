import { rest } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { verifyLedger } from '../../ledger';
import { checkpoint } from '../../ledger/holds/checkpoint';
import {
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import {
  appendNext,
  entryOf,
  mcpEntryOf,
  startTestDatabases,
  type TestDatabases,
} from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let made = 0;

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
  tenant = await createTenant(server, `acme-${(made += 1)}`);
});

/** Holds 0.004 US dollars. */
async function close(requestId: string, mode: string, costNanoUsd = ''): Promise<void> {
  const values = {
    requestId,
    mode,
    authorisedAtMs: Date.now(),
    heldNanoUsd: '4000000',
    settle: { costNanoUsd },
  };
  await appendNext(database.pool, tenant, [entryOf(chargedOf(tenant), values)]);
}

async function abandon(): Promise<string> {
  const requestId = uuidv7();
  await close(requestId, 'ABANDONED');
  return requestId;
}

const reported = (requestId: string, state: string) => ({
  requestId,
  organisationId: tenant.organisationId,
  teamId: tenant.teamId,
  userId: tenant.userIds.USER,
  apiKeyId: tenant.userKeyId,
  modelId: tenant.modelId,
  state,
  authorisedAtMs: Date.now(),
  leaseUntilMs: Date.now(),
  endedAtMs: Date.now(),
  counters: [],
  version: 5,
});

const list = async (query: object = {}) =>
  (
    await server.ok(server.root, rest.listAbandoned, {
      query: { organisationId: tenant.organisationId, ...query },
    })
  ).data;

const resolve = (requestId: string, charge: 'KEEP' | 'REFUND') =>
  server.call(server.root, rest.resolveAbandoned, {
    params: { requestId },
    body: { charge, reason: 'the edge was killed' },
  });

const spentUsd = async (): Promise<string> => {
  const params = { organisationId: tenant.organisationId, budgetId: tenant.budgetId };
  return (await server.ok(tenant.callers.ORG_ADMIN, rest.getBudget, { params })).spentUsd;
};

test('abandoned holds are listed with their charge, whether they were ever reported or not', async () => {
  const first = await abandon();
  const second = uuidv7();
  await checkpoint(database.pool, [reported(second, 'ABANDONED')]);
  expect(await list()).toMatchObject([
    { requestId: second, state: 'ABANDONED', chargedUsd: null },
    { requestId: first, state: 'ABANDONED', chargedUsd: '0.004', resolvedAt: null },
  ]);
  // Its charge is still in the stream, so it cannot be resolved yet.
  expect((await resolve(second, 'REFUND')).status).toBe(409);
  await close(second, 'ABANDONED');
  expect(await list({ limit: 1 })).toMatchObject([{ requestId: second, chargedUsd: '0.004' }]);
  await close(first, 'SETTLED', '1000000');
  expect((await list()).map(({ requestId }) => requestId)).toEqual([second]);
  expect(await list({ organisationId: uuidv7() })).toEqual([]);
});

test('of an abandoned call of a tool, the server and the tool are told, also when it is resolved', async () => {
  const values = { mode: 'ABANDONED', authorisedAtMs: Date.now(), heldNanoUsd: '4000000' };
  const entry = mcpEntryOf(chargedOf(tenant), tenant.mcpServerId, {
    ...values,
    settle: { outcome: '', costNanoUsd: '', mcp: null },
  });
  await appendNext(database.pool, tenant, [entry]);
  await abandon();
  const mcp = {
    serverId: tenant.mcpServerId,
    server: 'tools',
    method: 'tools/call',
    name: 'search',
  };
  const { requestId } = entry;
  expect(await list()).toMatchObject([
    { modelId: tenant.modelId, mcp: null },
    { requestId, modelId: null, mcp, chargedUsd: '0.004' },
  ]);
  expect((await resolve(requestId, 'REFUND')).body).toMatchObject({ mcp, chargedUsd: '0.00' });
});

test('a refund gives back the whole charge, once, and the counters hear of it', async () => {
  const requestId = await abandon();
  const answers = await Promise.all([resolve(requestId, 'REFUND'), resolve(requestId, 'REFUND')]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(await spentUsd()).toBe('0.00');
  expect(await list({ state: 'RESOLVED' })).toMatchObject([
    { requestId, state: 'RESOLVED', chargedUsd: '0.00' },
  ]);
  const { rows } = await database.pool.query(
    `SELECT limit_ids FROM outbox_event WHERE organisation_id = $1 AND kind = 'LEDGER'`,
    [tenant.organisationId],
  );
  expect(rows).toEqual([{ limit_ids: [tenant.budgetId] }]);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

test('keeping the charge changes no money; both are written to the trail', async () => {
  const kept = await abandon();
  const refunded = await abandon();
  expect((await resolve(kept, 'KEEP')).body).toMatchObject({ chargedUsd: '0.004' });
  await resolve(refunded, 'REFUND');
  expect(await spentUsd()).toBe('0.004');
  const { data } = await server.ok(tenant.callers.ORG_ADMIN, rest.listAuditEvents, {
    params: { organisationId: tenant.organisationId },
    query: { action: 'hold.resolve' },
  });
  expect(data.map(({ after }) => after)).toMatchObject([
    { charge: 'REFUND', reason: 'the edge was killed', state: 'RESOLVED' },
    { charge: 'KEEP' },
  ]);
});

test('late truth after a refund is charged exactly, and nothing is refunded twice', async () => {
  const requestId = await abandon();
  await resolve(requestId, 'REFUND');
  await close(requestId, 'SETTLED', '1000000');
  expect(await spentUsd()).toBe('0.001');
  expect((await resolve(requestId, 'REFUND')).status).toBe(409);
  // A late report does not reopen the hold.
  await checkpoint(database.pool, [reported(requestId, 'ABANDONED')]);
  expect(await list()).toEqual([]);
  expect(await list({ state: 'RESOLVED' })).toMatchObject([{ requestId, chargedUsd: '0.001' }]);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

test('after the truth there is nothing left to resolve', async () => {
  for (const mode of ['SETTLED', 'CANCELLED']) {
    const requestId = await abandon();
    await close(requestId, mode, '1000000');
    expect((await resolve(requestId, 'REFUND')).status).toBe(409);
  }
  const settled = uuidv7();
  await close(settled, 'SETTLED', '1000000');
  expect((await resolve(settled, 'REFUND')).status).toBe(404);
  expect((await resolve(uuidv7(), 'KEEP')).status).toBe(404);
  expect(await spentUsd()).toBe('0.002');
});
