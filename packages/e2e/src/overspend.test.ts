import axios from 'axios';
import { Client } from 'pg';

import {
  billOf,
  chat,
  checkBooks,
  eventually,
  newTenant,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// 500 requests at once against a budget that affords about 50: the budget holds, every answered
// request has one record, and the books agree with the upstream's own bill.

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let database: Client;
  let stop: () => Promise<void> = async () => undefined;

  beforeAll(async () => {
    gateway = await startGateway({
      edges: 2,
      env: { policy: { FLOATS, LEASE_MS: '20000', SWEEP_INTERVAL_MS: '200' } },
    });
    stop = gateway.stop;
    database = new Client({ connectionString: gateway.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await stop();
  });

  async function expectBooksAgree(): Promise<void> {
    const { countersCompared, ...found } = await checkBooks(gateway);
    expect(found).toEqual({ ok: true, breaches: [] });
    expect(countersCompared).toBeGreaterThan(0);
  }

  const ALL = 500;
  const OUTPUT = 100;
  /** Calls that are certainly running when their edge is killed. */
  const STUCK = 10;

  interface Books {
    readonly records: number;
    readonly requests: number;
    readonly costNanoUsd: bigint;
  }

  async function books(tenant: Tenant, mode?: string): Promise<Books> {
    const { rows } = await database.query<{ n: string; ids: string; cost: string }>(
      `select count(*) n, count(distinct id) ids, coalesce(sum(cost_nano_usd), 0) cost
       from usage_record where organisation_id = $1 and ($2::text is null or mode = $2)`,
      [tenant.id, mode ?? null],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    return { records: Number(row.n), requests: Number(row.ids), costNanoUsd: BigInt(row.cost) };
  }

  /** How many calls have reached the upstream with this key of the tenant, finished or not. */
  async function arrivals(tenant: Tenant, suffix = ''): Promise<number> {
    const url = `${gateway.simulatorUrl}/_sim/requests?apiKey=sk-sim-${tenant.slug}${suffix}`;
    const { data } = (await (await fetch(url)).json()) as { data: unknown[] };
    return data.length;
  }

  async function budgetFor(tenant: Tenant, requests: number): Promise<{ id: string; cap: bigint }> {
    // A response header has the hold of one request; the budget is a multiple of it and a half.
    const { key } = await tenant.key({ name: 'probe' });
    const probe = await chat(gateway.edgeUrl(), key, { max_tokens: OUTPUT });
    expect(probe.status).toBe(200);
    const held = BigInt(OUTPUT) * 10_000n;
    const cap = held * BigInt(requests) + held / 2n;
    const limitUsd = (Number(cap) / 1e9).toFixed(9);
    const budget = await tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: tenant.id },
      period: 'MONTHLY',
      limitUsd,
      mode: 'HARD',
    });
    return { id: budget.id, cap: BigInt(Math.round(Number(limitUsd) * 1e9)) };
  }

  /** A model named `stuck` whose upstream takes calls and never answers; it has a key of its own. */
  async function neverAnswering(tenant: Tenant): Promise<string> {
    const provider = await tenant.create('providers', {
      name: 'stuck',
      type: 'PROVIDER_A',
      baseUrl: `${gateway.simulatorUrl}/v1`,
      apiKey: `sk-sim-${tenant.slug}-stuck`,
    });
    return tenant.model('stuck', 'sim-timeout', { providerId: provider.id });
  }

  async function spent(tenant: Tenant, budgetId: string): Promise<{ spent: number; held: number }> {
    const answer = await gateway.rest.get(`${tenant.base}/budgets/${budgetId}`);
    const { spentUsd, heldUsd } = answer.data as { spentUsd: string; heldUsd: string };
    return { spent: Number(spentUsd), held: Number(heldUsd) };
  }

  test('five hundred concurrent requests never spend more than the budget', async () => {
    const tenant = await newTenant(gateway, { upstreamModel: `sim-tokens-${String(OUTPUT)}` });
    const { id, cap } = await budgetFor(tenant, 50);
    const { key } = await tenant.key();
    // Policy reads the key now, and not while the deadline of the first request runs.
    const headers = { authorization: `Bearer ${key}` };
    expect((await axios.get(`${gateway.edgeUrl()}/v1/models`, { headers })).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: ALL }, (_, n) =>
        chat(gateway.edgeUrl(n % 2), key, { max_tokens: OUTPUT }, { 'x-request-id': 'the-same' }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    const answered = statuses.filter((status) => status === 200).length;
    const others = answers.filter(({ status }) => status !== 200 && status !== 402);
    expect(others.map(({ data }) => data as object)).toEqual([]);
    expect(answered).toBeGreaterThan(0);

    const lines = await billOf(gateway, tenant);
    // The request that measured the hold came before the budget.
    expect(lines.length).toBe(answered + 1);
    await eventually('every answered request has its record', async () => {
      const { records } = await books(tenant);
      return records === answered + 1;
    });
    const inBooks = await books(tenant);
    expect(inBooks.requests).toBe(answered + 1);
    expect(inBooks.costNanoUsd).toBe(lines.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n));
    const state = await spent(tenant, id);
    expect(BigInt(Math.round(state.spent * 1e9))).toBeLessThanOrEqual(cap);
    await expectBooksAgree();
  });

  test('a hundred calls with one client request id are a hundred records', async () => {
    const tenant = await newTenant(gateway);
    const { key } = await tenant.key();
    const same = { 'x-request-id': 'client-chosen-id' };
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => chat(gateway.edgeUrl(), key, {}, same)),
    );
    expect(
      answers.filter(({ status }) => status !== 200).map(({ data }) => data as object),
    ).toEqual([]);
    expect(new Set(answers.map(({ headers }) => String(headers['x-request-id']))).size).toBe(100);
    await eventually('a hundred records', async () => (await books(tenant)).records === 100);
    const { rows } = await database.query<{ n: string }>(
      `select count(*) n from usage_record where organisation_id = $1 and client_request_id = $2`,
      [tenant.id, 'client-chosen-id'],
    );
    expect(rows[0]?.n).toBe('100');
  });

  test('the same with one of two edges killed during the run, once leases have expired', async () => {
    const tenant = await newTenant(gateway, {
      upstreamModel: `sim-tokens-${String(OUTPUT)}.pace-20`,
    });
    const { id, cap } = await budgetFor(tenant, 50);
    const modelIds = [tenant.modelId, await neverAnswering(tenant)];
    const { key } = await tenant.key({ modelIds });
    const call = async (edge: number, model: string): Promise<number> => {
      try {
        const answer = await chat(gateway.edgeUrl(edge), key, { model, max_tokens: OUTPUT });
        return answer.status;
      } catch {
        // The killed edge ended this connection.
        return 0;
      }
    };
    // These calls never end by themselves, so they are running when their edge is killed.
    const stuck = Array.from({ length: STUCK }, () => call(1, 'stuck'));
    await eventually('calls of the second edge are running', async () => {
      return (await arrivals(tenant, '-stuck')) === STUCK;
    });
    const before = await arrivals(tenant);
    const calls = Array.from({ length: ALL }, (_, n) => call(n % 2, 'chat'));
    await eventually('others have reached the upstream', async () => {
      return (await arrivals(tenant)) >= before + 10;
    });
    gateway.edges[1]?.process().signal('SIGKILL');
    expect(await Promise.all(stuck)).toEqual(stuck.map(() => 0));
    const statuses = await Promise.all(calls);
    // Only calls of the first edge: it may have had no time to settle calls that it answered.
    const answered = statuses.filter((status, n) => n % 2 === 0 && status === 200).length;
    // Every call that reached the upstream is booked: settled, or abandoned with its edge.
    await eventually(
      'all holds have ended',
      async () => {
        const { held } = await spent(tenant, id);
        const settled = (await books(tenant, 'SETTLED')).records;
        const abandoned = (await books(tenant, 'ABANDONED')).records;
        const arrived = (await arrivals(tenant)) + STUCK;
        return held === 0 && settled > answered && settled + abandoned >= arrived;
      },
      180_000,
    );
    const state = await spent(tenant, id);
    expect(BigInt(Math.round(state.spent * 1e9))).toBeLessThanOrEqual(cap);
    // Answered calls are booked as the upstream billed them; lost ones are charged their hold.
    const settled = await books(tenant, 'SETTLED');
    expect(settled.requests).toBe(settled.records);
    expect(settled.records).toBeGreaterThanOrEqual(answered + 1);
    expect((await books(tenant, 'ABANDONED')).records).toBeGreaterThanOrEqual(STUCK);
    await expectBooksAgree();
    await gateway.edges[1]?.restart();
  }, 300_000);
});
