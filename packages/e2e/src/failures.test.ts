import axios, { type AxiosResponse } from 'axios';
import { Client } from 'pg';

import { chat, eventually, type Gateway, newTenant, startGateway, type Tenant } from '.';

// What is away is 503 at once, never 401, and is served again by itself when it returns.

let gateway: Gateway;
let tenant: Tenant;
let key: string;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({ appendOnly: true, ownDeadlines: true });
  stop = gateway.stop;
  tenant = await newTenant(gateway);
  ({ key } = await tenant.key());
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
});
afterAll(() => stop());

// The promise is one second; the rest is slack for a machine that is busy with other tests.
const REFUSED_WITHIN_MS = 3_000;

async function timed(): Promise<{ status: number; code: string | undefined; ms: number }> {
  const started = performance.now();
  const answer: AxiosResponse = await chat(gateway.edgeUrl(), key);
  const { error } = answer.data as { error?: { code: string } };
  return { status: answer.status, code: error?.code, ms: performance.now() - started };
}

async function expectAway(): Promise<void> {
  // The first request may still find a connection that has not noticed; none is answered 401.
  await eventually('refused with 503', async () => {
    const answer = await timed();
    expect([200, 503]).toContain(answer.status);
    return answer.status === 503;
  });
  const answer = await timed();
  expect(answer).toMatchObject({ status: 503, code: 'dependency_unavailable' });
  expect(answer.ms).toBeLessThan(REFUSED_WITHIN_MS);
}

const expectServed = (): Promise<boolean> =>
  eventually('served again', async () => (await timed()).status === 200, 60_000);

async function health(scope = ''): Promise<AxiosResponse> {
  return axios.get(`${gateway.edgeUrl()}/v1/healthz${scope}`, { validateStatus: () => true });
}

function failing(answer: AxiosResponse, check: string): boolean {
  const { checks } = answer.data as { checks: Record<string, { ok: boolean } | undefined> };
  return checks[check]?.ok === false;
}

test('policy frozen, then continued', async () => {
  const [policy] = gateway.policies;
  policy?.process().signal('SIGSTOP');
  await expectAway();
  const serving = async (): Promise<number> => (await health('?scope=serving')).status;
  await eventually('readiness says so', async () => (await serving()) === 503);
  policy?.process().signal('SIGCONT');
  await expectServed();
});

test('policy stopped, then started again', async () => {
  const [policy] = gateway.policies;
  await policy?.process().stop('SIGKILL');
  await expectAway();
  await policy?.restart();
  await expectServed();
});

test('Redis frozen, then continued', async () => {
  gateway.redis.kill('SIGSTOP');
  await expectAway();
  await eventually('readiness names it', async () => {
    const answer = await health();
    return answer.status === 503 && failing(answer, 'cache');
  });
  gateway.redis.kill('SIGCONT');
  await expectServed();
});

test('Redis killed, then started again with its file', async () => {
  gateway.redis.kill('SIGKILL');
  await expectAway();
  await gateway.redis.restart();
  await expectServed();
});

test('catalog away: served from what is known, and booked when it is back', async () => {
  await gateway.catalog.process().stop('SIGKILL');
  for (let n = 0; n < 5; n += 1) expect((await timed()).status).toBe(200);
  await gateway.catalog.restart();
  const database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  await eventually('all five are in the books', async () => {
    const { rows } = await database.query<{ n: string }>(
      `select count(*) n from usage_record where organisation_id = $1
         and authorised_at > now() - interval '5 minutes'`,
      [tenant.id],
    );
    return Number(rows[0]?.n) >= 6;
  });
  await database.end();
});

test('PostgreSQL away: served, readiness says so, and it recovers by itself', async () => {
  gateway.postgres.kill('SIGKILL');
  await eventually('readiness names it', async () => {
    const answer = await health();
    return answer.status === 503 && failing(answer, 'database');
  });
  expect((await timed()).status).toBe(200);
  expect((await health('?scope=serving')).status).toBe(200);
  await gateway.postgres.restart();
  await eventually('ready again', async () => (await health()).status === 200, 60_000);
});

describe('an upstream that fails', () => {
  const ask = async (upstreamModel: string): Promise<AxiosResponse> => {
    const name = `m-${upstreamModel}`.replaceAll('.', '-');
    const modelId = await tenant.model(name, upstreamModel);
    const own = await tenant.key({ modelIds: [modelId] });
    return chat(gateway.edgeUrl(), own.key, { model: name });
  };
  const code = (answer: AxiosResponse): string =>
    (answer.data as { error: { code: string } }).error.code;

  test.each([
    ['sim-status-500', 502, 'upstream_error'],
    ['sim-status-503', 502, 'upstream_error'],
    ['sim-status-401', 502, 'provider_auth_failed'],
    ['sim-status-403', 502, 'provider_auth_failed'],
    ['sim-status-400', 400, 'upstream_rejected'],
    ['sim-status-429', 429, 'upstream_rate_limited'],
    ['sim-garbage', 502, 'upstream_error'],
    ['sim-cut-after-0', 502, 'upstream_error'],
  ])('%s is %i %s', async (model, status, expected) => {
    const answer = await ask(model);
    expect([answer.status, code(answer)]).toEqual([status, expected]);
  });

  test('one that is not there at all is 502', async () => {
    const provider = await tenant.create('providers', {
      name: 'nobody',
      type: 'PROVIDER_A',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-none',
    });
    const modelId = await tenant.model('dead', 'sim', { providerId: provider.id });
    const own = await tenant.key({ modelIds: [modelId] });
    const answer = await chat(gateway.edgeUrl(), own.key, { model: 'dead' });
    expect([answer.status, code(answer)]).toEqual([502, 'upstream_error']);
  });
});

test('metrics move in every service', async () => {
  const text = async (url: string): Promise<string> => String((await axios.get(url)).data);
  const { ports } = gateway.stack.layout;
  const policyHttp = gateway.policies[0]?.layout.ports.policyHttp ?? 0;
  const urls = [
    `${gateway.edgeUrl()}/metrics`,
    `http://127.0.0.1:${String(policyHttp)}/metrics`,
    `http://127.0.0.1:${String(ports.catalog)}/metrics`,
  ];
  const sums = async (): Promise<number[]> => {
    const pages = await Promise.all(urls.map(text));
    return pages.map((page) =>
      page
        .split('\n')
        .filter((line) => /^tollgate_\w+_count/.test(line))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0),
    );
  };
  const before = await sums();
  expect((await chat(gateway.edgeUrl(), key)).status).toBe(200);
  await eventually('each has counted', async () => {
    const after = await sums();
    return after.every((sum, at) => sum > (before[at] ?? 0));
  });
});
