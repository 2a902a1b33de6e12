import { Client } from 'pg';

import { checkBooks, eventually, newTenant, startGateway, type Gateway, type Tenant } from '.';
import { callTool, rpc, startedCalls, type RpcAnswer } from './mcp/client';
import { registerServer, type RegisteredServer } from './mcp/server';

// Priced calls of MCP tools against budgets, quotas and rates: as many are served as the limit affords,
// and the books agree with the server's own count.

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let database: Client;
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    gateway = await startGateway({ edges: 2, policies: 2, env: { policy: { FLOATS } } });
    stop = gateway.stop;
    database = new Client({ connectionString: gateway.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await stop();
  });

  interface World {
    readonly tenant: Tenant;
    readonly server: RegisteredServer;
    readonly simulated: string;
    readonly key: string;
  }

  let worlds = 0;
  /** A tenant with one server of its own, so that counts do not mix. */
  async function world(over: object = {}): Promise<World> {
    worlds += 1;
    const simulated = `limits-${String(worlds)}`;
    const tenant = await newTenant(gateway);
    const server = await registerServer(gateway, tenant, 'tools', { simulated, ...over });
    const { key } = await tenant.key({ mcpServerIds: [server.id] });
    return { tenant, server, simulated, key };
  }

  const url = ({ server }: World, edge = 0): string => `${gateway.edgeUrl(edge)}${server.path}`;

  async function records({ tenant }: World): Promise<{ calls: number; cost: bigint }> {
    const { rows } = await database.query<{ calls: string; cost: string }>(
      `select count(*) calls, coalesce(sum(cost_nano_usd), 0) cost
         from mcp_usage_record where organisation_id = $1 and method = 'tools/call'`,
      [tenant.id],
    );
    return { calls: Number(rows[0]?.calls), cost: BigInt(rows[0]?.cost ?? 0) };
  }

  async function expectBooksAgree(): Promise<void> {
    const { countersCompared, ...found } = await checkBooks(gateway);
    expect(found).toEqual({ ok: true, breaches: [] });
    expect(countersCompared).toBeGreaterThan(0);
  }

  function byStatus(answers: readonly RpcAnswer[]): Record<number, number> {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  test('200 callers at once on a budget for 20 priced calls: 20 are served', async () => {
    const made = await world({ callPriceUsd: '0.05' });
    await made.tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: made.tenant.id },
      period: 'MONTHLY',
      limitUsd: '1.00',
    });
    // Both policies read the key now, and not while the deadlines of the calls run.
    const headers = { authorization: `Bearer ${made.key}` };
    for (let n = 0; n < 8; n += 1) {
      const models = await fetch(`${gateway.edgeUrl(n % 2)}/v1/models`, { headers });
      expect(models.status).toBe(200);
    }
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        callTool(url(made, n % 2), made.key, 'sim_echo', { n }),
      ),
    );
    const { 200: served = 0 } = byStatus(answers);
    const others = answers.filter(({ status }) => status !== 200 && status !== 402);
    expect(others.map(({ status, message }) => ({ status, message }))).toEqual([]);
    // What the other policy has in advance may come back only after a refusal has waited for it.
    expect(served).toBeLessThanOrEqual(20);
    if (FLOATS === 'off') expect(served).toBe(20);
    for (let n = served; n < 20; n += 1) {
      await eventually('what was in advance is free', async () => {
        return (await callTool(url(made), made.key, 'sim_echo', { n })).status === 200;
      });
    }
    expect((await callTool(url(made), made.key, 'sim_echo')).status).toBe(402);
    expect(answers.find(({ status }) => status === 402)?.message).toMatchObject({
      id: 1,
      error: { data: { code: 'budget_exceeded' } },
    });
    expect(await startedCalls(gateway.simulatorUrl, made.simulated)).toBe(20);
    const booked = await eventually('all calls are booked', async () => {
      const found = await records(made);
      return found.calls === 20 && found;
    });
    expect(booked.cost).toBe(1_000_000_000n);
    await expectBooksAgree();
  });

  test('a limit of the server binds its calls, and its lists do not count', async () => {
    const made = await world();
    await made.tenant.create('quotas', {
      scope: { type: 'MCP_SERVER', id: made.server.id },
      metric: 'REQUESTS',
      period: 'DAILY',
      limit: 2,
    });
    for (let n = 0; n < 5; n += 1) {
      expect((await rpc(url(made), made.key, 'tools/list')).status).toBe(200);
    }
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      statuses.push((await callTool(url(made), made.key, 'sim_echo')).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await callTool(url(made), made.key, 'sim_echo');
    expect(refused.message?.error?.data).toMatchObject({ code: 'quota_exceeded' });
    await expectBooksAgree();
  });

  test('a tool has its own price, an error result costs, and an upstream failure does not', async () => {
    const made = await world({ callPriceUsd: '0.01', toolPricesUsd: { sim_fail: '0.03' } });
    const failing = await registerServer(gateway, made.tenant, 'failing', {
      simulated: 'sim-status-503+calls',
      callPriceUsd: '0.10',
    });
    const charging = await registerServer(gateway, made.tenant, 'charging', {
      simulated: 'sim-status-503+calls',
      callPriceUsd: '0.20',
      chargeFailures: true,
    });
    const { key } = await made.tenant.key({
      mcpServerIds: [made.server.id, failing.id, charging.id],
    });
    expect((await callTool(url(made), key, 'sim_echo')).status).toBe(200);
    const failed = await callTool(url(made), key, 'sim_fail', { message: 'no' });
    expect(failed.message?.result).toMatchObject({ isError: true });
    for (const { path } of [failing, charging]) {
      const answer = await callTool(`${gateway.edgeUrl()}${path}`, key, 'sim_echo');
      expect(answer.status).toBe(502);
      expect(answer.message?.error?.data).toMatchObject({ code: 'upstream_error' });
    }
    const booked = await eventually('all calls are booked', async () => {
      const found = await records(made);
      return found.calls === 4 && found;
    });
    expect(booked.cost).toBe(240_000_000n);
    await expectBooksAgree();
  });

  test('a record says what was called, how it ended and what it cost', async () => {
    const made = await world({ callPriceUsd: '0.01' });
    const answer = await callTool(
      url(made),
      made.key,
      'sim_fail',
      { message: 'no' },
      {
        headers: {
          'x-request-id': 'mine-1',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
      },
    );
    const requestId = answer.headers.get('x-tollgate-request-id') ?? '';
    const record = await eventually('the record', async () => {
      const found = await gateway.rest.get(`${made.tenant.base}/usage/mcp-records/${requestId}`);
      return found.status === 200 && (found.data as object);
    });
    expect(record).toMatchObject({
      id: requestId,
      mcpServerId: made.server.id,
      method: 'tools/call',
      outcome: 'COMPLETED',
      httpStatus: 200,
      isError: true,
      protocolVersion: '2026-07-28',
      clientRequestId: 'mine-1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
      costUsd: '0.01',
    });
  });
});
