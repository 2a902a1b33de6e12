import { rest, SCOPE_TYPES } from '@tollgate/contracts';

import {
  bookRecord,
  bookRollup,
  chargedOf,
  createTenant,
  startRest,
  type RestServer,
  type Tenant,
  type Who,
} from '../../rest/test-support';
import type { Database } from '../../schema';
import { appendNext, mcpEntryOf, startTestDatabases, type TestDatabases } from '../../test-support';

let databases: TestDatabases;
let database: Database;
let server: RestServer;
let tenant: Tenant;
let admin: Who;
let params: { organisationId: string };

beforeAll(async () => {
  databases = await startTestDatabases();
  database = await databases.fresh();
  server = await startRest(database);
  tenant = await createTenant(server, 'acme');
  admin = tenant.callers.ORG_ADMIN;
  params = { organisationId: tenant.organisationId };
});
afterAll(async () => {
  await server.stop();
  await databases.stop();
});

const HOUR_MS = 3_600_000;

describe('budgets', () => {
  it('tell what their window has booked and what running requests hold', async () => {
    const one = { params: { ...params, budgetId: tenant.budgetId } };
    const { windowStart, windowEnd } = await server.ok(admin, rest.getBudget, one);
    await database.orm.query(
      `INSERT INTO budget_window (budget_id, organisation_id, starts_at, ends_at, spent_nano_usd)
       VALUES ($1, $2, $3, $4, 1230000001)`,
      [tenant.budgetId, tenant.organisationId, windowStart, windowEnd],
    );
    const requestId = await bookRecord(database.orm, tenant, Date.now());
    await database.orm.query(
      `INSERT INTO budget_request (request_id, organisation_id, api_key_id, state, authorised_at,
         lease_until, version) VALUES ($1, $2, $3, 'HELD', now(), now() + interval '1 minute', 1)`,
      [requestId, tenant.organisationId, tenant.userKeyId],
    );
    await database.orm.query(
      `INSERT INTO budget_reservation (request_id, budget_id, organisation_id, window_starts_at,
         held_nano_usd, spent_nano_usd) VALUES ($1, $2, $3, $4, 500000000, 0)`,
      [requestId, tenant.budgetId, tenant.organisationId, windowStart],
    );
    const budget = await server.ok(admin, rest.getBudget, one);
    expect(budget).toMatchObject({ limitUsd: '12.50', spentUsd: '1.230000001', heldUsd: '0.50' });
  });

  it('made in the middle of a window count what it has spent already', async () => {
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    await bookRollup(database.orm, tenant, hour, 2_000_000_000n);
    const scope = { type: 'USER' as const, id: tenant.userIds.USER };
    const body = { scope, period: 'QUARTERLY' as const, limitUsd: '100' };
    const budget = await server.ok(admin, rest.createBudget, { params, body });
    expect(budget.spentUsd).toBe('2.00');
  });

  it('read the ends of windows that begin between two hours from the records', async () => {
    const atMs = Date.now();
    const scope = { type: 'API_KEY' as const, id: tenant.userKeyId };
    const quota = await server.ok(admin, rest.createQuota, {
      params,
      body: { scope, metric: 'TOKENS', windowSeconds: 600, limit: 1_000_000 },
    });
    await bookRecord(database.orm, tenant, Date.parse(quota.windowStart) - 1);
    await bookRecord(database.orm, tenant, Math.max(Date.parse(quota.windowStart), atMs - 1));
    const { used, windowStart } = await server.ok(admin, rest.getQuota, {
      params: { ...params, quotaId: quota.id },
    });
    // A window that ended between the two calls has been replaced by a new one.
    const records: { n: string }[] = await database.orm.query(
      `SELECT count(*) AS n FROM usage_record WHERE organisation_id = $1 AND authorised_at >= $2
         AND authorised_at < $2::timestamptz + interval '10 minutes'`,
      [tenant.organisationId, windowStart],
    );
    expect(used).toBe(12 * Number(records[0]?.n));
  });

  it('tell the data plane which counters begin anew', async () => {
    const one = { params: { ...params, budgetId: tenant.budgetId } };
    await server.ok(admin, rest.updateBudget, { ...one, body: { limitUsd: '20' } });
    const [news]: { kind: string; limit_ids: string[] }[] = await database.orm.query(
      'SELECT kind, limit_ids FROM outbox_event ORDER BY seq DESC LIMIT 1',
    );
    expect(news).toEqual({ kind: 'LIMIT', limit_ids: [tenant.budgetId] });
  });

  it.each([['-1'], ['1e3'], ['0.0000000001'], ['9000001'], ['9000000.000000001'], ['']])(
    'refuse the amount %s',
    async (limitUsd) => {
      const scope = { type: 'ORGANISATION' as const, id: tenant.organisationId };
      const body = { scope, period: 'DAILY' as const, limitUsd };
      const refused = await server.refused(admin, rest.createBudget, { params, body });
      expect(refused).toMatchObject({ status: 422, path: 'limitUsd' });
    },
  );

  it('bind only what exists in the organisation', async () => {
    const id = '019aa000-0000-7000-8000-000000000000';
    for (const type of SCOPE_TYPES) {
      const body = { scope: { type, id }, period: 'DAILY' as const, limitUsd: '1' };
      const refused = await server.refused(admin, rest.createBudget, { params, body });
      expect(refused).toMatchObject({ status: 422, path: 'scope.id' });
    }
  });
});

describe('quotas and rate limits', () => {
  const scope = () => ({ type: 'ORGANISATION' as const, id: tenant.organisationId });

  it('of money are decimal strings, of anything else counts', async () => {
    const make = (metric: 'COST' | 'TOKENS', limit: string | number) =>
      server.call(admin, rest.createQuota, {
        params,
        body: { scope: scope(), metric, period: 'DAILY', limit },
      });
    expect((await make('COST', '1.5')).body).toMatchObject({
      limit: '1.50',
      used: '2.00',
    });
    expect((await make('TOKENS', 5)).body).toMatchObject({ limit: 5, held: 0 });
    expect((await make('COST', 5)).status).toBe(422);
    expect((await make('TOKENS', '5')).status).toBe(422);
  });

  it('have either a period or a number of seconds', async () => {
    const body = { scope: scope(), metric: 'REQUESTS' as const, limit: 1 };
    for (const span of [{}, { period: 'DAILY' as const, windowSeconds: 60 }]) {
      const refused = await server.refused(admin, rest.createQuota, {
        params,
        body: { ...body, ...span },
      });
      expect(refused).toMatchObject({ status: 422, path: 'period' });
    }
  });

  it('a rate limit keeps at least one part', async () => {
    const one = { params: { ...params, rateLimitId: tenant.rateLimitId } };
    const patch = (body: object) => server.call(admin, rest.updateRateLimit, { ...one, body });
    expect((await patch({ requestsPerMinute: null })).status).toBe(422);
    const changed = await patch({ requestsPerMinute: null, tokensPerMinute: 9_000_000_000_000 });
    expect(changed.body).toMatchObject({ requestsPerMinute: null, tokensPerMinute: 9e12 });
  });
});

describe('reach', () => {
  it("a manager binds the own team's keys, sees and does not touch what binds the manager", async () => {
    const { MANAGER, USER } = tenant.callers;
    const make = (who: Who, type: 'TEAM' | 'USER' | 'API_KEY' | 'ORGANISATION', id: string) =>
      server.call(who, rest.createBudget, {
        params,
        body: { scope: { type, id }, period: 'DAILY', limitUsd: '1' },
      });
    expect((await make(MANAGER, 'TEAM', tenant.teamId)).status).toBe(201);
    expect((await make(MANAGER, 'API_KEY', tenant.teamKeyId)).status).toBe(201);
    expect((await make(MANAGER, 'TEAM', tenant.otherTeamId)).status).toBe(403);
    expect((await make(MANAGER, 'ORGANISATION', tenant.organisationId)).status).toBe(403);
    expect((await make(USER, 'USER', tenant.userIds.USER)).status).toBe(403);

    const own = (await make(admin, 'USER', tenant.userIds.MANAGER)).body;
    const one = { params: { ...params, budgetId: own.id } };
    await server.ok(MANAGER, rest.getBudget, one);
    expect((await server.refused(MANAGER, rest.deleteBudget, one)).status).toBe(403);
    expect((await server.refused(USER, rest.getBudget, one)).status).toBe(404);
  });

  it('a user lists the limits of the own keys and of oneself alone', async () => {
    const list = await server.ok(tenant.callers.USER, rest.listBudgets, {
      params,
      query: { limit: 200 },
    });
    const scopes = new Set(list.data.map(({ scope }) => `${scope.type} ${scope.id}`));
    expect([...scopes].sort()).toEqual(
      [`API_KEY ${tenant.userKeyId}`, `USER ${tenant.userIds.USER}`].sort(),
    );
  });
});

describe('limits of an MCP server', () => {
  const scope = () => ({ type: 'MCP_SERVER' as const, id: tenant.mcpServerId });

  it('count what its calls have spent already, and are listed by it', async () => {
    const entry = mcpEntryOf(chargedOf(tenant), tenant.mcpServerId, {
      authorisedAtMs: Date.now(),
      settle: { costNanoUsd: '3000000' },
    });
    await appendNext(database.pool, tenant, [entry]);
    const period = 'QUARTERLY' as const;
    const budget = await server.ok(admin, rest.createBudget, {
      params,
      body: { scope: scope(), period, limitUsd: '1' },
    });
    expect(budget).toMatchObject({ scope: scope(), spentUsd: '0.003' });
    const metric = 'REQUESTS' as const;
    const quota = await server.ok(admin, rest.createQuota, {
      params,
      body: { scope: scope(), metric, period, limit: 5 },
    });
    expect(quota).toMatchObject({ used: 1 });
    const body = { scope: scope(), requestsPerMinute: 5 };
    await server.ok(admin, rest.createRateLimit, { params, body });
    const query = { scopeType: 'MCP_SERVER' as const, scopeId: tenant.mcpServerId };
    for (const list of [rest.listBudgets, rest.listQuotas, rest.listRateLimits]) {
      expect((await server.ok(admin, list, { params, query })).data).toHaveLength(1);
    }
  });

  it('are set and seen by administrators alone, like those of a model', async () => {
    const query = { scopeType: 'MCP_SERVER' as const };
    for (const who of [tenant.callers.MANAGER, tenant.callers.USER]) {
      const body = { scope: scope(), requestsPerMinute: 5 };
      expect((await server.call(who, rest.createRateLimit, { params, body })).status).toBe(403);
      expect((await server.ok(who, rest.listBudgets, { params, query })).data).toEqual([]);
    }
  });

  it('end with their server', async () => {
    const { id } = await server.ok(admin, rest.createMcpServer, {
      params,
      body: { identifier: 'short-lived', name: 'Short-lived', url: 'http://127.0.0.1:9/mcp' },
    });
    const bound = { type: 'MCP_SERVER' as const, id };
    const budget = { scope: bound, period: 'DAILY' as const, limitUsd: '1' };
    const { id: budgetId } = await server.ok(admin, rest.createBudget, { params, body: budget });
    const rate = { scope: bound, requestsPerMinute: 5 };
    await server.ok(admin, rest.createRateLimit, { params, body: rate });
    await server.ok(admin, rest.deleteMcpServer, { params: { ...params, mcpServerId: id } });
    const gone = await server.refused(admin, rest.getBudget, { params: { ...params, budgetId } });
    expect(gone.status).toBe(404);
    const query = { scopeType: 'MCP_SERVER' as const, scopeId: id };
    expect((await server.ok(admin, rest.listRateLimits, { params, query })).data).toEqual([]);
  });

  it('are refused for a server of another organisation, also by the database', async () => {
    const rival = await createTenant(server, 'rival');
    const id = rival.mcpServerId;
    const body = { scope: { type: 'MCP_SERVER' as const, id }, requestsPerMinute: 5 };
    const refused = await server.refused(admin, rest.createRateLimit, { params, body });
    expect(refused).toMatchObject({ status: 422, path: 'scope.id' });
    const insert = database.orm.query(
      `INSERT INTO rate_limit (id, organisation_id, scope_type, scope_id, requests_per_minute)
       VALUES (gen_random_uuid(), $1, 'MCP_SERVER', $2, 1)`,
      [tenant.organisationId, id],
    );
    await expect(insert).rejects.toThrow('is not of organisation');
  });
});

it('one scope has at most 100 limits of all kinds together', async () => {
  const team = await server.ok(admin, rest.createTeam, { params, body: { name: 'limited' } });
  const scope = { type: 'TEAM' as const, id: team.id };
  const budget = { params, body: { scope, period: 'DAILY' as const, limitUsd: '1' } };
  const quota = {
    params,
    body: { scope, metric: 'REQUESTS' as const, windowSeconds: 60, limit: 1 },
  };
  await server.ok(admin, rest.createQuota, quota);
  for (let n = 1; n < 100; n += 1) await server.ok(admin, rest.createBudget, budget);
  for (const refused of [
    await server.refused(admin, rest.createBudget, budget),
    await server.refused(admin, rest.createQuota, quota),
  ]) {
    expect(refused).toMatchObject({ status: 422, path: 'scope' });
  }
  const { teamId } = tenant;
  const ofAnother = { ...budget.body, scope: { ...scope, id: teamId } };
  await server.ok(admin, rest.createBudget, { params, body: ofAnother });
});
