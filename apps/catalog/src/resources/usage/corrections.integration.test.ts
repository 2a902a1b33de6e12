import { rest, shardOf } from '@tollgate/contracts';

import { verifyLedger } from '../../ledger';
import { readShard } from '../../ledger/records/shards';
import { UsageRecord } from '../../ledger/records/usage-record.entity';
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
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});

/** A booked request of the tenant's user key that cost 0.001 US dollars. */
async function book(): Promise<string> {
  const entry = entryOf(chargedOf(tenant), {
    authorisedAtMs: Date.now(),
    settle: { costNanoUsd: '1000000' },
  });
  await appendNext(database.pool, tenant, [entry]);
  return entry.requestId;
}

const correct = (requestId: string, costUsd: string, headers: Record<string, string> = {}) =>
  server.call(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId },
    body: { costUsd, reason: 'billed twice by the upstream' },
    headers,
  });

const spentUsd = async (): Promise<string> =>
  (await server.ok(admin, rest.getBudget, { params: { ...params, budgetId: tenant.budgetId } }))
    .spentUsd;

test('a correction counts in windows and rollups, and leaves the record as it is', async () => {
  const requestId = await book();
  const before = await database.orm.manager.findOneByOrFail(UsageRecord, { id: requestId });
  const { status, body } = await correct(requestId, '-0.0004');
  expect(status).toBe(201);
  expect(body).toMatchObject({ requestId, kind: 'CORRECTION', costUsd: '-0.0004', tokensIn: 0 });

  expect(await spentUsd()).toBe('0.0006');
  const rollup = await server.ok(admin, rest.getUsageRollup, {
    params,
    query: { bucket: 'total', to: new Date(Date.now() + 3_600_000).toISOString() },
  });
  expect(rollup.data).toMatchObject([{ costUsd: '0.0006', requests: 1, tokensIn: 11 }]);
  expect(await database.orm.manager.findOneByOrFail(UsageRecord, { id: requestId })).toEqual(
    before,
  );
  const detail = await server.ok(admin, rest.getUsageRecord, { params: { ...params, requestId } });
  expect(detail.adjustments).toMatchObject([{ kind: 'CORRECTION', costUsd: '-0.0004' }]);
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

test('the counters of the limits it changes are forgotten at the revision it made', async () => {
  const requestId = await book();
  const shard = shardOf(tenant.organisationId);
  const before = await readShard(database.pool, shard);
  await correct(requestId, '0.5');
  const { rows } = await database.pool.query(
    `SELECT kind, limit_ids, shard, rev FROM outbox_event
     WHERE organisation_id = $1 AND kind = 'LEDGER'`,
    [tenant.organisationId],
  );
  // The tenant's quota counts tokens, which no correction changes.
  expect(rows).toEqual([
    { kind: 'LEDGER', limit_ids: [tenant.budgetId], shard, rev: before.rev + 1n },
  ]);
  expect(await readShard(database.pool, shard)).toEqual({ ...before, rev: before.rev + 1n });
});

test('it is written to the trail, with who made it', async () => {
  const requestId = await book();
  await correct(requestId, '0.5');
  const query = { action: 'usage.correct', targetId: requestId };
  const { data } = await server.ok(admin, rest.listAuditEvents, { params, query });
  expect(data).toMatchObject([
    { actor: { kind: 'USER' }, after: { costUsd: '0.50', reason: 'billed twice by the upstream' } },
  ]);
});

test('a request never comes to less than nothing, however many take away at once', async () => {
  const requestId = await book();
  expect(await refusal(requestId, '-0.001000001')).toMatchObject({
    status: 409,
    code: 'conflict',
    path: 'costUsd',
  });
  const answers = await Promise.all(Array.from({ length: 4 }, () => correct(requestId, '-0.0004')));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201, 201, 409, 409,
  ]);
  expect((await correct(requestId, '-0.0002')).status).toBe(201);
  expect(await spentUsd()).toBe('0.00');
  expect((await verifyLedger(database.pool)).ok).toBe(true);
});

async function refusal(requestId: string, costUsd: string) {
  return server.refused(server.root, rest.correctUsageRecord, {
    params: { ...params, requestId },
    body: { costUsd, reason: 'x' },
  });
}

test.each(['0', '-0.00', '', '1e3', '--1', '0.0000000001', '9000000.1'])(
  'a difference of %j is refused',
  async (costUsd) => {
    expect(await refusal(await book(), costUsd)).toMatchObject({ status: 422, path: 'costUsd' });
  },
);

test('the same Idempotency-Key corrects once', async () => {
  const requestId = await book();
  const headers = { 'idempotency-key': `once-${requestId}` };
  const first = await correct(requestId, '0.25', headers);
  const again = await correct(requestId, '0.25', headers);
  expect(again.body).toEqual(first.body);
  expect((await correct(requestId, '0.5', headers)).status).toBe(409);
  expect(await spentUsd()).toBe('0.251');
});

test("another organisation's request is not there", async () => {
  const requestId = await book();
  const rival = await createTenant(server, `rival-${made}`);
  const params = { organisationId: rival.organisationId, requestId };
  const body = { costUsd: '1', reason: 'x' };
  const refused = await server.refused(server.root, rest.correctUsageRecord, { params, body });
  expect(refused.status).toBe(404);
});

test('adjustments are listed latest first, each once, by kind and within reach', async () => {
  const requestId = await book();
  const ids: string[] = [];
  for (const costUsd of ['0.1', '0.2', '0.3', '0.4', '0.5']) {
    ids.unshift((await correct(requestId, costUsd)).body.id);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 2, ...(cursor === undefined ? {} : { cursor }) };
    const page = await server.ok(admin, rest.listUsageAdjustments, { params, query });
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toEqual(ids);

  const count = async (who: Who, query: object): Promise<number> =>
    (await server.ok(who, rest.listUsageAdjustments, { params, query })).data.length;
  expect(await count(admin, { kind: 'RERATE' })).toBe(0);
  expect(await count(admin, { kind: 'CORRECTION', requestId })).toBe(5);
  expect(await count(admin, { to: new Date(Date.now() - 3_600_000).toISOString() })).toBe(0);
  expect(await count(tenant.callers.USER, {})).toBe(5);
  await database.pool.query('UPDATE usage_adjustment SET user_id = NULL, team_id = NULL');
  expect(await count(tenant.callers.USER, {})).toBe(0);
});
