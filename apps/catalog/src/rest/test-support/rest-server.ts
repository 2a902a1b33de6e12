import { rest } from '@tollgate/contracts';
import { createAddressRules, parseKeyRing } from '@tollgate/contracts/node';
import { createLogger, listenHttp, type Clock } from '@tollgate/kit';
import type { z } from 'zod';

import { bootstrapAdmin, type Passwords, type SsoSettings } from '../../auth';
import { createRestApp } from '../../composition';
import type { Database } from '../../schema';
import { demandNews } from '../../test-support';
import { textOf } from './read-answer';

export const ADMIN = { email: 'root@example.com', password: 'correct horse battery' };

/** The console's URL in links and redirects. */
export const CONSOLE = 'https://console.example.com';

/** The key ring of the server. */
export const TEST_KEY_RING = parseKeyRing(`test:${Buffer.alloc(32, 7).toString('base64')}`);

/** The caller: an access token, or anonymous. */
export type Who = { readonly token: string } | undefined;

export interface Answered<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

interface Sent<E extends rest.Endpoint> {
  readonly params?: rest.PathParams<E['path']>;
  readonly query?: z.input<E['query']>;
  readonly body?: z.input<E['body']>;
  readonly headers?: Record<string, string>;
}

export interface RestServer {
  readonly url: string;
  readonly root: Who;
  readonly logs: string[];
  readonly clock: Clock & { advance(ms: number): void };
  /** Sends one request and checks the answer against the endpoint's schema. */
  call<E extends rest.Endpoint>(
    who: Who,
    endpoint: E,
    sent?: Sent<E>,
  ): Promise<Answered<z.output<E['response']>>>;
  /** Like `call`; throws unless the answer is a success. */
  ok<E extends rest.Endpoint>(
    who: Who,
    endpoint: E,
    sent?: Sent<E>,
  ): Promise<z.output<E['response']>>;
  /** Like `call`; throws unless the answer is an error. Returns its code and first detail. */
  refused<E extends rest.Endpoint>(
    who: Who,
    endpoint: E,
    sent?: Sent<E>,
  ): Promise<{
    status: number;
    code: string;
    path: string | undefined;
    message: string | undefined;
    headers: Headers;
  }>;
  signIn(email: string, password: string): Promise<{ token: string; cookie: string }>;
  stop(): Promise<void>;
}

/** Free hashing; the real one has its own tests. */
const fastPasswords: Passwords = {
  hash: (password) => Promise.resolve(`fast:${password}`),
  verify: (stored, password) => Promise.resolve(stored === `fast:${password}`),
};

interface RestOptions {
  readonly passwords?: Passwords;
  readonly mail?: boolean;
  readonly sso?: SsoSettings;
  /** Checks that every change is announced to the data plane; default true. */
  readonly news?: boolean;
  /** Whether organisations may keep bodies; default true. */
  readonly bodiesAllowed?: boolean;
  readonly consoleToken?: string;
  readonly trustedProxies?: readonly string[];
  readonly deniedPorts?: readonly number[];
  readonly runner?: { readonly url: string; readonly token: string };
}

export async function startRest(
  database: Database,
  options: RestOptions = {},
): Promise<RestServer> {
  const passwords = options.passwords ?? fastPasswords;
  const logs: string[] = [];
  let shiftMs = 0;
  const clock = {
    now: () => Date.now() + shiftMs,
    advance: (ms: number) => {
      shiftMs += ms;
    },
  };
  const app = createRestApp({
    orm: database.orm,
    pool: database.pool,
    log: createLogger({ service: 'catalog', level: 'info', write: (line) => logs.push(line) }),
    keyRing: TEST_KEY_RING,
    jwtSecrets: ['a secret of the tests; long enough for it'],
    addressRules: createAddressRules({
      allowed: ['127.0.0.0/8'],
      denied: options.deniedPorts ?? [],
    }),
    runner: options.runner,
    corsOrigins: [CONSOLE],
    consoleUrl: CONSOLE,
    mail: options.mail ?? false,
    bodiesAllowed: options.bodiesAllowed ?? true,
    sso: options.sso,
    consoleTokens: options.consoleToken === undefined ? [] : [options.consoleToken],
    trustedProxies: options.trustedProxies ?? [],
    clock,
    passwords,
  });
  if (options.news ?? true) await demandNews(database.pool);
  await bootstrapAdmin({ orm: database.orm, passwords }, ADMIN);
  const server = await listenHttp(app, { host: '127.0.0.1', port: 0 });
  const calls = callsOf(server.url);
  return {
    url: server.url,
    root: await calls.signIn(ADMIN.email, ADMIN.password),
    logs,
    clock,
    ...calls,
    stop: () => server.close({ drainMs: 0 }),
  };
}

function callsOf(url: string): Pick<RestServer, 'call' | 'ok' | 'refused' | 'signIn'> {
  return {
    call: (who, endpoint, sent) => checkedCall(url, who, endpoint, sent),
    async ok(who, endpoint, sent) {
      const { status, body } = await checkedCall(url, who, endpoint, sent);
      if (status !== endpoint.status) {
        throw new Error(`${endpoint.id}: ${status} ${JSON.stringify(body)}`);
      }
      return body;
    },
    async refused(who, endpoint, sent) {
      const { status, body, headers } = await checkedCall(url, who, endpoint, sent);
      if (status < 400) throw new Error(`${endpoint.id} was not refused: ${status}`);
      const { error } = rest.errorBody.parse(body);
      const [first] = error.details;
      return { status, code: error.code, path: first?.path, message: first?.message, headers };
    },
    async signIn(email, password) {
      const sent = { body: { email, password } };
      const { body, headers } = await checkedCall(url, undefined, rest.login, sent);
      const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
      return { token: body.accessToken, cookie };
    },
  };
}

async function checkedCall<E extends rest.Endpoint>(
  url: string,
  who: Who,
  endpoint: E,
  sent: Sent<E> = {},
): Promise<Answered<z.output<E['response']>>> {
  const query = new URLSearchParams(stringValues(sent.query)).toString();
  const path = rest.fillPath(endpoint.path, sent.params ?? {});
  const response = await fetch(`${url}${path}${query === '' ? '' : `?${query}`}`, {
    method: endpoint.method,
    headers: {
      ...(who === undefined ? {} : { authorization: `Bearer ${who.token}` }),
      ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
  });
  const text = await textOf(response);
  const json = response.headers.get('content-type')?.startsWith('application/json') ?? true;
  const body: unknown = text === '' ? undefined : json ? JSON.parse(text) : text;
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  if (response.status >= 400) {
    expect(rest.errorBody.parse(body)).toEqual(body);
  } else if (response.status !== 304) {
    expect(response.status).toBe(endpoint.status);
    // Parsing drops unknown fields, so equality shows that the answer has none.
    expect(endpoint.response.parse(body)).toEqual(body);
  }
  const { status, headers } = response;
  return { status, headers, body: body as z.output<E['response']> };
}

function stringValues(query: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]),
  );
}
