import { readFileSync } from 'node:fs';
import type { RunningService } from '@tollgate/stack';
import axios from 'axios';
import OpenAI from 'openai';
import { Agent, fetch as undiciFetch } from 'undici';

import { eventually, newTenant, startGateway, type Gateway, type Tenant } from '.';
import { checkBooks } from './gateway/books';

// Several processes of edge and of policy, each behind one port: all of them serve, a killed one is
// replaced, and a rolling restart fails no request.

let gateway: Gateway;
let tenant: Tenant;
let key: string;
let stop: () => Promise<void> = async () => undefined;

const only = (services: readonly RunningService[]): RunningService => {
  const [service] = services;
  if (service === undefined) throw new Error('there is no such service');
  return service;
};

const pidOf = (service: RunningService): number => service.process().pid;

/** The workers of a service that have not ended. */
function workersOf(service: RunningService): number[] {
  const pid = String(pidOf(service));
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

const twoWorkersOf = (service: RunningService, without: readonly number[] = []) =>
  eventually(`two workers of ${service.name}`, async () => {
    const pids = workersOf(service);
    return pids.length === 2 && !pids.some((pid) => without.includes(pid)) ? pids : undefined;
  });

/** A client with its own connection and without retries. */
function newClient(): OpenAI {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  return new OpenAI({
    baseURL: `${gateway.edgeUrl()}/v1`,
    apiKey: key,
    maxRetries: 0,
    fetch: undiciFetch as unknown as typeof fetch,
    fetchOptions: { dispatcher } as never,
  });
}

const messages = [{ role: 'user' as const, content: 'Hello there' }];

async function unary(client: OpenAI): Promise<void> {
  const { usage } = await client.chat.completions.create({ model: 'chat', messages });
  if ((usage?.total_tokens ?? 0) === 0) throw new Error('an answer without usage');
}

async function streamed(client: OpenAI): Promise<void> {
  const stream = await client.chat.completions.create({ model: 'chat', messages, stream: true });
  let finish: string | null = null;
  for await (const chunk of stream) finish = chunk.choices[0]?.finish_reason ?? finish;
  if (finish !== 'stop') throw new Error(`a stream ended with ${String(finish)}`);
}

/**
 * Calls in a closed loop until the returned function is called, which returns the number of calls
 * and the failures.
 */
function startLoad(clients: number): () => Promise<{ calls: number; failures: string[] }> {
  const ending = new AbortController();
  let calls = 0;
  const failures: string[] = [];
  const one = async (client: OpenAI, call: typeof unary): Promise<void> => {
    while (!ending.signal.aborted) {
      calls += 1;
      await call(client).catch((error: unknown) => failures.push(String(error)));
    }
  };
  const all = Array.from({ length: clients }, (_, n) =>
    one(newClient(), n % 2 === 0 ? unary : streamed),
  );
  return async () => {
    ending.abort();
    await Promise.all(all);
    return { calls, failures };
  };
}

/** Each of the two workers has two sessions; those of workers that have ended do not count. */
const fourSessions = () =>
  eventually('four sessions to policy', async () => {
    const { data } = await axios.get<string>(`${gateway.opsUrl()}/metrics`);
    return /^tollgate_edge_policy_sessions_open\{[^}]*\} 4$/m.test(data);
  });

/** The number of answered chat completions, by worker. */
async function answered(): Promise<number> {
  const { data } = await axios.get<string>(`${gateway.opsUrl()}/metrics`);
  const lines = data
    .split('\n')
    .filter((line) => line.startsWith('tollgate_edge_request_seconds_count'));
  return lines
    .filter((line) => line.includes('/v1/chat/completions'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

describe.each(['off', 'on'])('with FLOATS=%s', (FLOATS) => {
  beforeAll(async () => {
    gateway = await startGateway({
      env: { edge: { EDGE_WORKERS: '2' }, policy: { POLICY_WORKERS: '2', FLOATS } },
    });
    stop = gateway.stop;
    tenant = await newTenant(gateway);
    key = (await tenant.key()).key;
  });
  afterAll(() => stop());

  test('connections are distributed to all workers, and their metrics are summed', async () => {
    expect(await twoWorkersOf(only(gateway.edges))).toHaveLength(2);
    expect(await twoWorkersOf(only(gateway.policies))).toHaveLength(2);
    const clients = Array.from({ length: 6 }, newClient);
    await Promise.all(clients.map(unary));
    expect(await answered()).toBe(6);
    await fourSessions();
  });

  test('any worker answers operators', async () => {
    for (let asked = 0; asked < 4; asked += 1) {
      const { data } = await axios.get(`${gateway.opsUrl()}/readyz`, {
        validateStatus: () => true,
      });
      expect(data).toMatchObject({ status: 'ok', checks: { policy: { ok: true } } });
    }
  });

  test('a killed worker is replaced, and the others serve in the meantime', async () => {
    const edge = only(gateway.edges);
    const [victim, survivor] = await twoWorkersOf(edge);
    if (victim === undefined || survivor === undefined) throw new Error('there are two');
    const before = await answered();
    process.kill(victim, 'SIGKILL');
    await eventually('one worker', async () => !workersOf(edge).includes(victim));
    await unary(newClient());
    expect(await twoWorkersOf(edge, [victim])).toContain(survivor);
    // A sum that falls would look like a restart, and what is left would be counted twice.
    expect(await answered()).toBe(before + 1);
    await fourSessions();
  });

  test.each([
    ['edge', () => only(gateway.edges)],
    ['policy', () => only(gateway.policies)],
  ] as const)(
    'workers of %s are replaced under load, and no request fails',
    async (_, serviceOf) => {
      const service = serviceOf();
      const before = await twoWorkersOf(service);
      const counted = await answered();
      const endLoad = startLoad(6);
      service.process().signal('SIGHUP');
      await twoWorkersOf(service, before);
      const { calls, failures } = await endLoad();
      expect(failures).toEqual([]);
      expect(calls).toBeGreaterThan(6);
      expect(await answered()).toBe(counted + calls);
      await fourSessions();
      const { ok, breaches } = await checkBooks(gateway);
      expect({ ok, breaches }).toEqual({ ok: true, breaches: [] });
    },
  );

  test('a signal ends the primary and all workers', async () => {
    const edge = only(gateway.edges);
    const pids = await twoWorkersOf(edge);
    const primary = edge.process();
    await primary.stop();
    expect(await primary.ended).toEqual({ code: 0, signal: null });
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await edge.restart();
  });
});
