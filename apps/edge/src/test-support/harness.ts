// Runs an edge with all its dependencies in one process.

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthorizeReply, Candidate, LimitState, Routing } from '@tollgate/contracts/node';
import { createLogger, readConfig } from '@tollgate/kit';

import { startEdge, type Edge, type EdgeDeps } from '../app';
import { configShape, type Config } from '../config';
import { connection, KEY_RING, startFakeCatalog } from './fake-catalog';
import { startFakePolicy } from './fake-policy';
import { completion, startFakeUpstream } from './fake-upstream';

export const KEY = 'tg_test-key-0123456789';
export const MODEL = 'house-model';

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** Deadlines are generous; a test that needs a short one sets it. */
export async function startHarness(over: Partial<Config> = {}, deps: EdgeDeps = {}) {
  const policy = await startFakePolicy();
  const catalog = await startFakeCatalog();
  const upstream = await startFakeUpstream();
  const spool = mkdtempSync(join(tmpdir(), 'tollgate-edge-'));
  const lines: string[] = [];
  catalog.connections.set('provider-1:1', connection({ baseUrl: upstream.url }));
  policy.decide = () => allow();

  const config = {
    ...readConfig('edge', configShape, { KEY_ENCRYPTION_KEYS: KEY_RING }),
    EDGE_PORT: 0,
    EDGE_OPS_PORT: 0,
    POLICY_GRPC_ADDRESSES: [policy.address],
    POLICY_DEADLINE_MS: 10_000,
    CATALOG_GRPC_ADDRESS: catalog.address,
    UPSTREAM_ALLOWED_CIDRS: ['127.0.0.0/8'],
    SPOOL_DIR: spool,
    DRAIN_MS: 1_000,
    ...over,
  } as Config;
  const log = createLogger({ service: 'edge', level: 'info', write: (line) => lines.push(line) });
  const start = async (): Promise<Edge> => {
    const edge = await startEdge(config, { log, ...deps });
    await until(() => policy.sessions() > 0, 'a session to policy');
    return edge;
  };
  const edge = await start();

  return {
    edge,
    policy,
    catalog,
    upstream,
    config,
    log: lines,
    /** Starts a second edge with the same configuration, for state that outlives a process. */
    start,
    ...requestsTo(edge),
    /** Resets the fakes to their defaults, between tests that share them. */
    reset: async () => {
      await until(() => policy.heldNow() === 0, 'the holds of the last test to end');
      policy.reset();
      policy.decide = () => allow();
      upstream.received.length = 0;
      upstream.script = (res) => completion(res, {});
      lines.length = 0;
    },
    /** The settle of the test's only request. */
    settled: async () => {
      await until(() => policy.settled.length > 0, 'a settle');
      const [first] = policy.settled;
      if (!first || policy.settled.length > 1) throw new Error('not exactly one settle');
      return first;
    },
    stop: async () => {
      await edge.stop();
      await Promise.all([policy.stop(), catalog.stop(), upstream.stop()]);
      await rm(spool, { recursive: true, force: true });
    },
  };
}

function requestsTo(edge: Edge) {
  return {
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(edge.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    /** Sends a form or JSON. */
    send: (path: string, body: object, headers: Record<string, string> = {}, method = 'POST') => {
      if (method !== 'POST') {
        const own = { authorization: `Bearer ${KEY}`, ...headers };
        return fetch(edge.url + path, { method, headers: own });
      }
      const form = body instanceof FormData;
      return fetch(edge.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          ...(form ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: form ? body : JSON.stringify(body),
      });
    },
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(edge.url + path, { headers }),
    ops: (path: string, headers: Record<string, string> = {}) =>
      fetch(edge.opsUrl + path, { headers }),
  };
}

/** A chat request, as a client sends it. */
export function chat(over: object = {}) {
  return { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], ...over };
}

export function candidate(over: Candidate = {}): Candidate {
  return {
    modelId: 'model-1',
    modelName: MODEL,
    upstreamModel: 'gpt-upstream',
    modelType: 'chat',
    providerId: 'provider-1',
    providerType: 'PROVIDER_A',
    providerLabel: 'provider_a',
    upstreamFormat: 'openai',
    connectionVersion: 1,
    price: {
      priceId: 'price-1',
      // One dollar and two dollars per million tokens.
      steps: [{ fromInputTokens: 0, input: '1000000000', output: '2000000000' }],
    },
    maxOutputTokens: 4_096,
    heldOutputTokens: 4_096,
    ...over,
  };
}

export function allow(candidates: Candidate[] = [candidate()], limits: LimitState[] = []) {
  return { allow: { candidates, limits } } satisfies AuthorizeReply;
}

/** The same with a routing policy. */
export function routed(candidates: Candidate[], routing: Routing = {}) {
  const { allow: decision } = allow(candidates);
  const policy: Routing = { strategy: 'failover', triggers: ['5xx', 'timeout'], ...routing };
  return { allow: { ...decision, routing: policy } } satisfies AuthorizeReply;
}

export function deny(code: string, over: object = {}): AuthorizeReply {
  return { denial: { code, message: `refused: ${code}`, ...over } };
}

/** Waits for a condition. The deadline only ends a test that has failed. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 15_000,
) {
  const end = Date.now() + deadlineMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export interface ErrorBody {
  error: { code: string; message: string; type: string; param: string | null; details?: object };
}

export async function errorOf(response: Response): Promise<ErrorBody['error']> {
  return ((await response.json()) as ErrorBody).error;
}
