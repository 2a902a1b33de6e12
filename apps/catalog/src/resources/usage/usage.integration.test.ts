import { emptyUsage, rest } from '@tollgate/contracts';

import { UsageRecord } from '../../ledger/records/usage-record.entity';
import {
  bookRecord,
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
let params: { organisationId: string };
const ids: string[] = [];
let startMs = 0;

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
  const zone = { timeZone: 'America/New_York' };
  await server.ok(admin, rest.updateOwnOrganisation, { params, body: zone });
  startMs = Date.now() - 60_000;
  // Two records for each instant, distinguished by id.
  for (let n = 0; n < 12; n += 1) {
    ids.push(
      await bookRecord(database.orm, tenant, startMs + Math.floor(n / 2) * 1000, 1_500_000_000n),
    );
  }
  await bookRollup(database.orm, tenant, startMs, 18_000_000_000n);
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

describe('records', () => {
  it('are listed latest first, each once, page by page', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 5, ...(cursor === undefined ? {} : { cursor }) };
      const page = await server.ok(admin, rest.listUsageRecords, { params, query });
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual([...ids].reverse());
  });

  it('are narrowed by instant and by owner', async () => {
    const at = (n: number): string => new Date(startMs + n * 1000).toISOString();
    const count = async (query: object): Promise<number> =>
      (await server.ok(admin, rest.listUsageRecords, { params, query })).data.length;
    expect(await count({ from: at(1), to: at(3) })).toBe(4);
    expect(await count({ apiKeyId: tenant.userKeyId, outcome: 'COMPLETED' })).toBe(12);
    expect(await count({ apiKeyId: tenant.teamKeyId })).toBe(0);
    expect(await count({ httpStatus: 500 })).toBe(0);
  });

  it('tell a provider’s words to whoever sees all requests, and the prices to everybody', async () => {
    const requestId = await bookRecord(database.orm, tenant, startMs - 1_000);
    await database.pool.query(
      `UPDATE usage_record SET attempts = jsonb_set(jsonb_set(attempts, '{0,message}', '"no credit"'),
         '{0,priceId}', to_jsonb($2::text)) WHERE id = $1`,
      [requestId, tenant.priceId],
    );
    const read = (who: Who) =>
      server.ok(who, rest.getUsageRecord, { params: { ...params, requestId } });
    const [whole, own] = [await read(admin), await read(tenant.callers.USER)];
    expect(whole.attempts[0]?.message).toBe('no credit');
    expect(own.attempts[0]?.message).toBe('');
    for (const { prices } of [whole, own]) {
      expect(prices.map(({ id }) => id)).toEqual([tenant.priceId]);
    }
    await database.pool.query('DELETE FROM usage_record WHERE id = $1', [requestId]);
  });

  it('have names in CSV beside the ids, those of deleted teams as well', async () => {
    const body = { name: 'Shortlived' };
    const team = await server.ok(admin, rest.createTeam, { params, body });
    await database.pool.query('UPDATE usage_record SET team_id = $2 WHERE id = $1', [
      ids[0],
      team.id,
    ]);
    const at = { params: { ...params, teamId: team.id } };
    const read = await server.call(admin, rest.getTeam, at);
    const headers = { 'if-match': read.headers.get('etag') ?? '' };
    await server.ok(admin, rest.deleteTeam, { ...at, headers });
    const csv = await server.ok(admin, rest.exportUsageRecords, { params });
    const [head = [], first = [], second = []] = csv.split('\r\n').map((line) => line.split(','));
    const cell = (row: string[], name: string) => row[head.indexOf(name)];
    expect([cell(first, 'teamId'), cell(first, 'team')]).toEqual([team.id, 'Shortlived']);
    expect(cell(second, 'team')).toBe('Research');
    expect(cell(second, 'user')).not.toBe('');
    expect([cell(second, 'apiKeyId'), cell(second, 'apiKey')]).toEqual([tenant.userKeyId, 'user']);
    expect(cell(second, 'provider')).not.toBe('');
    await database.pool.query('UPDATE usage_record SET team_id = $2 WHERE id = $1', [
      ids[0],
      tenant.teamId,
    ]);
  });

  it('are told whole one at a time', async () => {
    const requestId = ids[0] ?? '';
    const record = await server.ok(admin, rest.getUsageRecord, {
      params: { ...params, requestId },
    });
    expect(record).toMatchObject({ costUsd: '1.50', tokensIn: 8, adjustments: [] });
    // Booked by a release without the other fields.
    expect(record.attempts[0]).toMatchObject({
      outcome: 'OK',
      costUsd: '1.50',
      tokens: null,
      priceId: null,
      hedge: false,
    });
  });

  it('tell of each attempt what it took, cost and came to', async () => {
    const requestId = ids[1] ?? '';
    const tokens = { ...emptyUsage(), input: 9, cacheRead: 3, output: 4, reasoning: 1 };
    const [present] = (await database.orm.manager.findOneByOrFail(UsageRecord, { id: requestId }))
      .attempts;
    if (present === undefined) throw new Error('the record has no attempt');
    const failed = { ...present, outcome: 'HTTP_503', httpStatus: 503, costNanoUsd: '0' };
    const attempts = [
      { ...failed, usage: emptyUsage(), priceId: '', hedge: false },
      { ...present, usage: tokens, priceId: tenant.priceId, hedge: true },
    ];
    await database.orm.manager.update(UsageRecord, { id: requestId }, { attempts });
    const record = await server.ok(admin, rest.getUsageRecord, {
      params: { ...params, requestId },
    });
    expect(record.attempts).toMatchObject([
      { outcome: 'HTTP_503', tokens: emptyUsage(), costUsd: '0.00', priceId: null, hedge: false },
      { outcome: 'OK', tokens, costUsd: '1.50', priceId: tenant.priceId, hedge: true },
    ]);
  });

  it('are seen by the manager of their team and by their user, not by others', async () => {
    for (const who of [tenant.callers.MANAGER, tenant.callers.USER]) {
      expect((await server.ok(who, rest.listUsageRecords, { params })).data).toHaveLength(12);
    }
    const email = 'stranger@acme.example.com';
    const password = 'a long enough password';
    await server.ok(admin, rest.createUser, { params, body: { email, name: 'S', password } });
    const stranger = await server.signIn(email, password);
    expect((await server.ok(stranger, rest.listUsageRecords, { params })).data).toEqual([]);
    expect((await server.ok(stranger, rest.getUsageRollup, { params })).data).toEqual([]);
  });
});

describe('rollups', () => {
  it.each(rest.ROLLUP_DIMENSIONS)('sum by %s, with its name', async (groupBy) => {
    const query = { bucket: 'total' as const, groupBy };
    const { data } = await server.ok(admin, rest.getUsageRollup, { params, query });
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      start: null,
      costUsd: '18.00',
      requests: 1,
      meanLatencyMs: 20,
    });
    // Requests to models are usage without an MCP server.
    const name: unknown = groupBy === 'mcp-server' ? null : expect.any(String);
    expect(data[0]?.group?.name).toEqual(name);
  });

  it.each(['hour', 'day', 'month'] as const)(
    'begin each %s in the zone of the organisation',
    async (bucket) => {
      const rollup = await server.ok(admin, rest.getUsageRollup, { params, query: { bucket } });
      expect(rollup).toMatchObject({ bucket, timeZone: 'America/New_York', groupBy: null });
      expect(rollup.data).toHaveLength(1);
      const start = new Date(rollup.data[0]?.start ?? '');
      expect(start.getTime()).toBeLessThanOrEqual(startMs);
      const local = start.toLocaleTimeString('en-GB', { timeZone: 'America/New_York' });
      expect(local.endsWith(bucket === 'hour' ? ':00:00' : '00:00:00')).toBe(true);
    },
  );

  it('refuse a span that is none', async () => {
    const query = { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    const refused = await server.refused(admin, rest.getUsageRollup, { params, query });
    expect(refused).toMatchObject({ status: 422, path: 'from' });
  });
});
