import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { formatUsd, passthroughCost } from '@tollgate/contracts';
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';

import {
  checkBooks,
  eventually,
  newTenant,
  recordOf,
  requestIdOf,
  startGateway,
  type Gateway,
  type Tenant,
} from '.';

// Endpoints that the gateway does not know, of a vendor that bills calls and bytes: as many are served as limits afford,
// nothing outside of the rules is called, and the books are the vendor's bill.

const PRICES = {
  callPriceUsd: '0.01',
  requestMegabytePriceUsd: '2',
  responseMegabytePriceUsd: '3',
} as const;
const COSTS = {
  callNanoUsd: '10000000',
  requestMegabyteNanoUsd: '2000000000',
  responseMegabyteNanoUsd: '3000000000',
};
const RULES = [
  {
    method: 'POST',
    path: '/voices/*',
    maxRequestBytes: 200_000,
    maxResponseBytes: 1_000_000,
    ...PRICES,
  },
  { method: 'GET', path: '/files/**', maxRequestBytes: 0, maxResponseBytes: 1_000, ...PRICES },
  { method: 'POST', path: '/flat', maxRequestBytes: 0, maxResponseBytes: 0, ...PRICES },
];

interface Bill {
  calls: number;
  requestBytes: number;
  responseBytes: number;
  asked: string[];
}

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  let gateway: Gateway;
  let stop: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    const policy = { FLOATS, LEASE_MS: '20000', SWEEP_INTERVAL_MS: '200' };
    gateway = await startGateway({ edges: 2, policies: 2, env: { policy } });
    stop = gateway.stop;
  });
  afterAll(async () => {
    await stop();
  });

  interface World {
    readonly tenant: Tenant;
    readonly key: string;
  }

  async function world(): Promise<World> {
    const tenant = await newTenant(gateway, {
      provider: { baseUrl: `${gateway.simulatorUrl}/metered`, passthroughRules: RULES },
    });
    const { key } = await tenant.key({ passthroughProviderIds: [tenant.providerId] });
    return { tenant, key };
  }

  function call(
    { key }: World,
    path: string,
    { edge = 0, ...config }: AxiosRequestConfig & { edge?: number } = {},
  ): Promise<AxiosResponse<Buffer>> {
    return axios.request({
      method: 'POST',
      url: `${gateway.edgeUrl(edge)}/v1/passthrough/simulator${path}`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
      responseType: 'arraybuffer',
      validateStatus: () => true,
      ...config,
    });
  }

  /** The status of a path as it is: clients such as axios resolve dots themselves. */
  async function statusOf({ key }: World, path: string): Promise<number> {
    const url = new URL(gateway.edgeUrl(0));
    const headers = { authorization: `Bearer ${key}`, 'content-length': '1' };
    const sent = request({
      host: url.hostname,
      port: url.port,
      method: 'POST',
      path: `/v1/passthrough/simulator${path}`,
      headers,
    });
    sent.end('x');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode ?? 0;
  }

  async function billOf({ tenant }: World): Promise<Bill> {
    const url = `${gateway.simulatorUrl}/_sim/metered`;
    return (await axios.get<Bill>(url, { params: { apiKey: `sk-sim-${tenant.slug}` } })).data;
  }

  async function spentUsd({ tenant }: World, requests: number): Promise<string> {
    return eventually('all calls are booked', async () => {
      const { data } = await gateway.rest.get(`${tenant.base}/usage/records?limit=200`);
      const rows = (data as { data: { costUsd: string }[] }).data;
      if (rows.length < requests) return undefined;
      expect(rows).toHaveLength(requests);
      return formatUsd(rows.reduce((total, { costUsd }) => total + nano(costUsd), 0n));
    });
  }

  const nano = (usd: string): bigint => {
    const [whole = '0', fraction = ''] = usd.split('.');
    return BigInt(whole) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'));
  };

  const billed = ({ calls, requestBytes, responseBytes }: Bill): string =>
    formatUsd(
      passthroughCost(COSTS, requestBytes, responseBytes) + BigInt(calls - 1) * 10_000_000n,
    );

  async function expectBooksAgree(): Promise<void> {
    const { countersCompared, ...found } = await checkBooks(gateway);
    expect(found).toEqual({ ok: true, breaches: [] });
    expect(countersCompared).toBeGreaterThan(0);
  }

  test('books are the bill: calls and bytes of both bodies', async () => {
    const made = await world();
    await made.tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: made.tenant.id },
      period: 'MONTHLY',
      limitUsd: '1000',
    });
    const sizes = [
      [0, 0],
      [150_000, 0],
      [1_000, 900_000],
      [17, 12_345],
    ] as const;
    const ids: string[] = [];
    for (const [request, response] of sizes) {
      const answer = await call(made, `/voices/anna?bytes=${response}`, {
        data: Buffer.alloc(request, 'a'),
      });
      expect(answer.status).toBe(200);
      expect(answer.data.length).toBe(response);
      ids.push(requestIdOf(answer));
    }
    expect((await call(made, '/voices/anna?status=503')).status).toBe(503);
    const bill = await billOf(made);
    expect(bill).toMatchObject({ calls: 4, requestBytes: 151_017, responseBytes: 912_345 });
    expect(await spentUsd(made, 5)).toBe(billed(bill));
    expect(await recordOf(gateway, made.tenant, ids[3] ?? '')).toMatchObject({
      operation: 'passthrough',
      route: 'POST /v1/passthrough/:provider/voices/*',
      modelId: null,
      providerId: made.tenant.providerId,
      httpStatus: 200,
      costUsd: formatUsd(passthroughCost(COSTS, 17, 12_345)),
      units: { request_byte: '17', response_byte: '12345' },
      requestBytes: 17,
      responseBytes: 12_345,
      tokensIn: 0,
      tokensOut: 0,
    });
    await expectBooksAgree();
  });

  test('100 callers at once on a budget for 20 calls: 20 reach the vendor', async () => {
    const made = await world();
    await made.tenant.create('budgets', {
      scope: { type: 'ORGANISATION', id: made.tenant.id },
      period: 'MONTHLY',
      limitUsd: '0.20',
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => call(made, '/flat', { edge: n % 2 })),
    );
    const served = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(100 - served);
    // What the other policy has in advance may come back only after a refusal has waited for it.
    expect(served).toBeLessThanOrEqual(20);
    if (FLOATS === 'off') expect(served).toBe(20);
    for (let n = served; n < 20; n += 1) {
      await eventually('what was in advance is free', async () => {
        return (await call(made, '/flat')).status === 200;
      });
    }
    expect((await call(made, '/flat')).status).toBe(402);
    const bill = await billOf(made);
    expect(bill.calls).toBe(20);
    expect(await spentUsd(made, 20)).toBe('0.20');
    await expectBooksAgree();
  });

  test('a quota of requests counts calls of a free length', async () => {
    const made = await world();
    await made.tenant.create('quotas', {
      scope: { type: 'ORGANISATION', id: made.tenant.id },
      metric: 'REQUESTS',
      period: 'DAILY',
      limit: 2,
    });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await call(made, '/flat')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await billOf(made)).calls).toBe(2);
  });

  test('a client that leaves pays for the call and what came', async () => {
    const made = await world();
    const leave = new AbortController();
    const answer = await call(made, '/voices/anna?bytes=5000&hold=1', {
      data: 'abc',
      responseType: 'stream',
      signal: leave.signal,
    });
    const stream = answer.data as unknown as NodeJS.ReadableStream;
    let came = 0;
    stream.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        came += chunk.length;
        if (came === 5_000) resolve();
      });
    });
    leave.abort();
    expect(await recordOf(gateway, made.tenant, requestIdOf(answer))).toMatchObject({
      outcome: 'CLIENT_CLOSED',
      usageQuality: 'ESTIMATED',
      costUsd: formatUsd(passthroughCost(COSTS, 3, 5_000)),
    });
    expect(await spentUsd(made, 1)).toBe(billed(await billOf(made)));
    await expectBooksAgree();
  });

  test('a call whose edge is killed is charged what it held', async () => {
    const made = await world();
    const lost = call(made, '/voices/anna?silent=1', { edge: 1, data: 'abc' }).catch(
      () => undefined,
    );
    await eventually('the call', async () => (await billOf(made)).calls === 1);
    gateway.edges[1]?.process().signal('SIGKILL');
    await gateway.edges[1]?.process().ended;
    await lost;
    expect(await spentUsd(made, 1)).toBe(formatUsd(passthroughCost(COSTS, 3, 1_000_000)));
    await gateway.edges[1]?.restart();
    await expectBooksAgree();
  });

  test('nothing outside of the rules is called, nor by a key without the provider', async () => {
    const made = await world();
    const paths = [
      '/admin',
      '/voices',
      '/voices/anna/samples',
      '/voices/../admin',
      '/voices/%2e%2e/admin',
      '/voices/..%2fadmin',
      '/voices//admin',
      '/flat/',
      '/files/a',
    ];
    for (const path of paths) {
      const status = await statusOf(made, path);
      expect({ path, refused: status === 400 || status === 403 }).toEqual({ path, refused: true });
    }
    const { key } = await made.tenant.key();
    const refused = await call({ ...made, key }, '/flat');
    expect(refused.status).toBe(403);
    expect(refused.headers['x-tollgate-error-code']).toBe('passthrough_denied');
    expect((await billOf(made)).asked).toEqual([]);
    expect((await call(made, '/files/a/b', { method: 'GET' })).status).toBe(200);
    expect((await billOf(made)).asked).toEqual(['GET /metered/files/a/b']);
  });
});
