import axios, { type AxiosResponse } from 'axios';
import { Client } from 'pg';

import { chat, eventually, newTenant, startGateway, type Gateway, type Tenant } from '.';

// A missing dependency is 503 at once, never 401, and requests are served again when it returns.

let gateway: Gateway;
let tenant: Tenant;
let key: string;
let stop: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await startGateway({ appendOnly: true, ownDeadlines: true });
  stop = gateway.stop;
  tenant = await newTenant(gateway);
  ({ key } = await tenant.key());
  await served();
});
afterAll(() => stop());

// The services' deadlines end a request well within a second, while a wait without a deadline never
// ends. This limit is between the two, with room for a busy machine.
const AT_ONCE_MS = 20_000;

function codeOf(answer: AxiosResponse): string | undefined {
  return (answer.data as { error?: { code: string } }).error?.code;
}

/** One call: either served, or refused because of a dependency. */
async function call(): Promise<AxiosResponse> {
  const signal = AbortSignal.timeout(AT_ONCE_MS);
  const answer = await chat(gateway.edgeUrl(), key, {}, {}, signal);
  if (answer.status !== 200) {
    expect([answer.status, codeOf(answer)]).toEqual([503, 'dependency_unavailable']);
  }
  return answer;
}

async function expectAway(): Promise<void> {
  // The first request may still use a connection that has not noticed the failure.
  await eventually('refused with 503', async () => (await call()).status === 503);
  expect((await call()).status).toBe(503);
}

/**
 * Returns the id of a served call. With such short deadlines a busy machine may refuse one. The
 * dependency stays away meanwhile, so the served call did not use it.
 */
const served = (): Promise<string> =>
  eventually('served', async () => {
    const answer = await call();
    return answer.status === 200 && String(answer.headers['x-request-id']);
  });

async function health(scope = ''): Promise<AxiosResponse> {
  return axios.get(`${gateway.edgeUrl()}/v1/healthz${scope}`, { validateStatus: () => true });
}

function ops(path: string): Promise<AxiosResponse> {
  return axios.get(`${gateway.opsUrl()}${path}`, { validateStatus: () => true });
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
  await served();
});

test('policy stopped, then started again', async () => {
  const [policy] = gateway.policies;
  await policy?.process().stop('SIGKILL');
  await expectAway();
  await policy?.restart();
  await served();
});

test('Redis frozen, then continued', async () => {
  gateway.redis.kill('SIGSTOP');
  await expectAway();
  await eventually('readiness names it', async () => {
    const answer = await health();
    return answer.status === 503 && failing(answer, 'cache');
  });
  // Every request is refused meanwhile, so no traffic should be sent here.
  expect((await health('?scope=serving')).status).toBe(503);
  expect((await ops('/readyz')).status).toBe(503);
  const text = JSON.stringify((await health()).data);
  expect(text).not.toMatch(/message|127\.0\.0\.1/);
  expect(JSON.stringify((await ops('/healthz')).data)).toContain('message');
  gateway.redis.kill('SIGCONT');
  await served();
  await eventually('serving again', async () => (await health('?scope=serving')).status === 200);
});

test('Redis killed, then started again with its file', async () => {
  gateway.redis.kill('SIGKILL');
  await expectAway();
  await gateway.redis.restart();
  await served();
});

test('catalog away: requests are served from the cache, and booked when it is back', async () => {
  await gateway.catalog.process().stop('SIGKILL');
  const ids: string[] = [];
  while (ids.length < 5) ids.push(await served());
  await gateway.catalog.restart();
  const database = new Client({ connectionString: gateway.databaseUrl });
  await database.connect();
  await eventually('all five are in the books', async () => {
    const { rows } = await database.query<{ n: string }>(
      'select count(*) n from usage_record where organisation_id = $1 and id = any($2)',
      [tenant.id, ids],
    );
    return Number(rows[0]?.n) === 5;
  });
  await database.end();
});

test('PostgreSQL away: requests are served, readiness reports it, and it recovers by itself', async () => {
  gateway.postgres.kill('SIGKILL');
  await eventually('readiness names it', async () => {
    const answer = await health();
    return answer.status === 503 && failing(answer, 'database');
  });
  await served();
  await eventually(
    'serving all the same',
    async () => (await health('?scope=serving')).status === 200,
  );
  await gateway.postgres.restart();
  await eventually('ready again', async () => (await health()).status === 200);
});

describe('an upstream that fails', () => {
  const ask = async (upstreamModel: string): Promise<AxiosResponse> => {
    const name = `m-${upstreamModel}`.replaceAll('.', '-');
    const modelId = await tenant.model(name, upstreamModel);
    const own = await tenant.key({ modelIds: [modelId] });
    return decided(own.key, name);
  };
  // Excludes the 503 of a busy machine that could not read a new key within its short deadline.
  const decided = (ownKey: string, model: string): Promise<AxiosResponse> =>
    eventually('policy has decided', async () => {
      const answer = await chat(gateway.edgeUrl(), ownKey, { model });
      return answer.status !== 503 && answer;
    });

  test.each([
    ['sim-status-500', 502, 'upstream_error'],
    ['sim-status-503', 502, 'upstream_error'],
    ['sim-status-401', 502, 'provider_auth_failed'],
    ['sim-status-402', 502, 'provider_auth_failed'],
    ['sim-status-403', 502, 'provider_auth_failed'],
    ['sim-status-400', 400, 'upstream_rejected'],
    ['sim-status-404', 404, 'upstream_rejected'],
    ['sim-status-429', 429, 'upstream_rate_limited'],
    ['sim-garbage', 502, 'upstream_error'],
    ['sim-cut-after-0', 502, 'upstream_error'],
  ])('%s is %i %s', async (model, status, expected) => {
    const answer = await ask(model);
    expect([answer.status, answer.headers['x-tollgate-error-code']]).toEqual([status, expected]);
    // Refusals use the vendor's own words; failures use the gateway's.
    if (status < 500) expect(codeOf(answer)).not.toBe(expected);
    else expect(codeOf(answer)).toBe(expected);
  });

  test('an unreachable upstream is 502', async () => {
    const provider = await tenant.create('providers', {
      name: 'nobody',
      type: 'PROVIDER_A',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-none',
    });
    const modelId = await tenant.model('dead', 'sim', { providerId: provider.id });
    const own = await tenant.key({ modelIds: [modelId] });
    const answer = await decided(own.key, 'dead');
    expect([answer.status, codeOf(answer)]).toEqual([502, 'upstream_error']);
  });
});

test('metrics change in every service', async () => {
  const text = async (url: string): Promise<string> => String((await axios.get(url)).data);
  const { ports } = gateway.stack.layout;
  const policyHttp = gateway.policies[0]?.layout.ports.policyHttp ?? 0;
  const urls = [
    `${gateway.opsUrl()}/metrics`,
    `http://127.0.0.1:${String(policyHttp)}/metrics`,
    `http://127.0.0.1:${String(ports.catalogOps)}/metrics`,
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
  await served();
  await eventually('each has counted', async () => {
    const after = await sums();
    return after.every((sum, at) => sum > (before[at] ?? 0));
  });
});
