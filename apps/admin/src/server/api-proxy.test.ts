import type { Logger } from '@tollgate/kit';

import { createApiProxy } from './api-proxy';
import type { CatalogAnswer, CatalogRequest } from './catalog';
import type { Refresh } from './refresh';

const ORIGIN = 'http://console.example';
const OWN = { host: 'console.example', origin: ORIGIN };
const ADDRESS_HEADER = 'x-address-made-up';
const SIGNED_IN = 'tollgate_console_access=old; tollgate_console_refresh=r0';
const fresh = { access: 'new', accessSeconds: 900, refresh: 'r1', refreshSeconds: 1_000 };

const log: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  child: () => log,
  enabled: () => false,
  flush: () => Promise.resolve(),
};

function json(status: number, body: object, more: Partial<CatalogAnswer> = {}): CatalogAnswer {
  const headers = new Map([
    ['content-type', 'application/json'],
    ['x-powered-by', 'secret'],
    ['etag', '"1"'],
  ]);
  return { status, headers, setCookies: [], body: Buffer.from(JSON.stringify(body)), ...more };
}

function proxyOver(
  answer: (request: CatalogRequest) => CatalogAnswer,
  refresh: Refresh = () => Promise.resolve(fresh),
) {
  const sent: CatalogRequest[] = [];
  const proxy = createApiProxy({
    log,
    refresh,
    addressHeader: ADDRESS_HEADER,
    send: (request) => {
      sent.push(request);
      return Promise.resolve().then(() => answer(request));
    },
  });
  const call = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    proxy(new Request(`${ORIGIN}${path}`, { method, headers, ...(body && { body }) }));
  return { sent, call };
}

const bearer = (request: CatalogRequest): string | undefined => request.headers['authorization'];
const byToken = (request: CatalogRequest): CatalogAnswer =>
  bearer(request) === 'Bearer new' ? json(200, { ok: true }) : json(401, {});

test('a call goes to the catalog with the bearer token and what is on the list, nothing else', async () => {
  const { sent, call } = proxyOver(() => json(200, { ok: true }));
  const headers = {
    ...OWN,
    cookie: SIGNED_IN,
    'content-type': 'application/json',
    'idempotency-key': 'k',
    // Of these the catalog hears what the server itself has established.
    'x-forwarded-for': '6.6.6.6',
    [ADDRESS_HEADER]: '10.0.0.1',
    authorization: 'Bearer smuggled',
    'x-other': '1',
  };
  const answer = await call('POST', '/api/organisations/1/apikeys?a=b', headers, '{"name":"n"}');
  expect(sent).toEqual([
    {
      method: 'POST',
      path: '/api/organisations/1/apikeys?a=b',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'k',
        'x-forwarded-for': '10.0.0.1',
        authorization: 'Bearer old',
      },
      body: Buffer.from('{"name":"n"}'),
    },
  ]);
  expect(await answer.json()).toEqual({ ok: true });
  expect(answer.headers.get('etag')).toBe('"1"');
  expect(answer.headers.get('x-powered-by')).toBeNull();
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test('an expired token is renewed once, the call repeated, and the browser given the new cookies', async () => {
  const { sent, call } = proxyOver(byToken);
  const answer = await call('POST', '/api/x', { ...OWN, cookie: SIGNED_IN }, '{"a":1}');
  expect(answer.status).toBe(200);
  expect(sent.map(bearer)).toEqual(['Bearer old', 'Bearer new']);
  expect(sent[1]?.body).toEqual(Buffer.from('{"a":1}'));
  expect(answer.headers.getSetCookie().join()).toContain('tollgate_console_refresh=r1');
});

test('a token that is gone is renewed before the call, and never twice', async () => {
  const { sent, call } = proxyOver(() => json(401, {}));
  const answer = await call('GET', '/api/x', { cookie: 'tollgate_console_refresh=r0' });
  expect([answer.status, sent.map(bearer)]).toEqual([401, ['Bearer new']]);
});

test('the end of the session is 401 and takes the cookies away', async () => {
  const { call } = proxyOver(byToken, () => Promise.resolve(undefined));
  for (const cookie of [SIGNED_IN, 'tollgate_console_refresh=r0']) {
    const answer = await call('GET', '/api/x', { cookie });
    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toHaveLength(2);
    expect(answer.headers.getSetCookie().join()).toContain('Max-Age=0');
  }
});

test('a catalog that is away is 503, never 401, and ends no session', async () => {
  const away = (): never => {
    throw new Error('ECONNREFUSED');
  };
  const calls = [
    proxyOver(away).call('GET', '/api/x', { cookie: SIGNED_IN }),
    proxyOver(byToken, away).call('GET', '/api/x', { cookie: SIGNED_IN }),
    proxyOver(byToken, away).call('GET', '/api/x', { cookie: 'tollgate_console_refresh=r0' }),
  ];
  for (const answer of await Promise.all(calls)) {
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'dependency_unavailable' } });
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
});

test('sign-in keeps the tokens in cookies and answers without them', async () => {
  const session = { accessToken: 'a.b', tokenType: 'Bearer', expiresIn: 900 };
  const setCookies = ['tollgate_refresh=r9; Path=/api/auth; Max-Age=60; HttpOnly'];
  const { call } = proxyOver(() => json(200, session, { setCookies }));
  const answer = await call('POST', '/api/auth/login', OWN, '{"email":"e","password":"p"}');
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  const [access, refresh] = answer.headers.getSetCookie();
  expect(access).toMatch(/^tollgate_console_access=a\.b; .*HttpOnly; SameSite=Strict$/);
  expect(refresh).toMatch(/^tollgate_console_refresh=r9; .*HttpOnly; SameSite=Strict$/);
});

test("a refused sign-in is the catalog's own answer", async () => {
  const error = { error: { code: 'invalid_credentials', message: 'wrong', details: [] } };
  const { call } = proxyOver(() => json(401, error, { setCookies: ['tollgate_refresh=x'] }));
  const answer = await call('POST', '/api/auth/login', OWN, '{}');
  expect([answer.status, await answer.json()]).toEqual([401, error]);
  expect(answer.headers.getSetCookie()).toEqual([]);
});

test('signing out ends the session at the catalog, and here whatever the catalog says', async () => {
  const { sent, call } = proxyOver(() => {
    throw new Error('away');
  });
  const answer = await call('POST', '/api/auth/logout', { ...OWN, cookie: SIGNED_IN });
  expect(sent[0]?.headers['cookie']).toBe('tollgate_refresh=r0');
  expect(answer.status).toBe(204);
  expect(answer.headers.getSetCookie().join()).toContain('Max-Age=0');
});

describe('single sign-on', () => {
  const redirect = (location: string, ...setCookies: string[]): CatalogAnswer => ({
    status: 302,
    headers: new Map([['location', location]]),
    setCookies,
    body: new Uint8Array(),
  });
  /** As a browser comes back from the identity provider. */
  const ELSEWHERE = {
    host: 'console.example',
    'sec-fetch-site': 'cross-site',
    'x-forwarded-proto': 'https',
  };
  const CALLBACK = '/api/auth/oidc/callback?code=c&state=s';
  const SSO = 'tollgate_sso=kept; Path=/api/auth/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure';
  const BEGUN = 'tollgate_refresh=r9; Path=/api/auth; Max-Age=60; HttpOnly; SameSite=Strict';
  const DONE = 'https://console.example/login?signedIn=1&next=%2Facme';

  test('begins with the redirect and the cookie of the catalog, which sees no other cookie', async () => {
    const { sent, call } = proxyOver(() => redirect('https://idp.example/authorize', SSO));
    const cookie = `${SIGNED_IN}; tollgate_sso=before`;
    const answer = await call('GET', '/api/auth/oidc/start?next=%2Facme', { ...ELSEWHERE, cookie });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      'https://idp.example/authorize',
    ]);
    expect(answer.headers.getSetCookie()).toEqual([SSO]);
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/api/auth/oidc/start?next=%2Facme',
        headers: { cookie: 'tollgate_sso=before', 'x-forwarded-proto': 'https' },
      },
    ]);
  });

  test("ends with a session of the console's own; the catalog's cookie stays here", async () => {
    const exchanged: string[] = [];
    const gone = 'tollgate_sso=; Path=/api/auth/oidc; Max-Age=0';
    const { call } = proxyOver(
      () => redirect(DONE, gone, BEGUN),
      (token) => {
        exchanged.push(token);
        return Promise.resolve(fresh);
      },
    );
    const answer = await call('GET', CALLBACK, { ...ELSEWHERE, cookie: 'tollgate_sso=kept' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, DONE]);
    expect(exchanged).toEqual(['r9']);
    const [sso, access, refresh, ...more] = answer.headers.getSetCookie();
    expect([sso, more]).toEqual([gone, []]);
    expect(access).toMatch(/^tollgate_console_access=new; .*SameSite=Strict; Secure$/);
    expect(refresh).toMatch(/^tollgate_console_refresh=r1; .*SameSite=Strict; Secure$/);
  });

  test('that failed leads to the page that says why, without a session', async () => {
    const failed = 'https://console.example/login?error=sso_denied';
    const { call } = proxyOver(() => redirect(failed));
    const answer = await call('GET', CALLBACK, ELSEWHERE);
    expect(answer.headers.get('location')).toBe(failed);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test.each([
    [
      'is not set up',
      () => proxyOver(() => json(404, { error: { code: 'not_found', message: '', details: [] } })),
      'not_found',
    ],
    ['is answered with something else', () => proxyOver(() => json(200, {})), 'sso_failed'],
    [
      'ended at once',
      () =>
        proxyOver(
          () => redirect(DONE, BEGUN),
          () => Promise.resolve(undefined),
        ),
      'sso_failed',
    ],
    [
      'finds the catalog away',
      () =>
        proxyOver(() => {
          throw new Error('ECONNREFUSED');
        }),
      'dependency_unavailable',
    ],
  ])('that %s leads back to the sign-in page', async (_when, proxy, code) => {
    const answer = await proxy().call('GET', CALLBACK, ELSEWHERE);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `/login?error=${code}`]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});

test('pages cannot exchange tokens themselves', async () => {
  const { sent, call } = proxyOver(() => json(200, {}));
  const answer = await call('POST', '/api/auth/refresh', { ...OWN, cookie: SIGNED_IN });
  expect([answer.status, sent]).toEqual([404, []]);
});

test("another site's change is refused before anything is asked", async () => {
  const { sent, call } = proxyOver(() => json(200, {}));
  for (const path of ['/api/x', '/api/auth/login', '/api/auth/logout']) {
    const headers = { ...OWN, origin: 'https://evil.example', cookie: SIGNED_IN };
    const answer = await call('POST', path, headers, '{}');
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { error: { code: 'forbidden' } },
    ]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  }
  expect(sent).toEqual([]);
});

test('a body over the limit is refused', async () => {
  const { sent, call } = proxyOver(() => json(200, {}));
  const answer = await call('POST', '/api/x', OWN, 'x'.repeat(1024 * 1024 + 1));
  expect([answer.status, sent]).toEqual([413, []]);
});

test('an answer without a body stays without', async () => {
  const { call } = proxyOver(() => json(204, {}, { body: new Uint8Array() }));
  const answer = await call('DELETE', '/api/x', { ...OWN, cookie: SIGNED_IN });
  expect([answer.status, answer.body]).toEqual([204, null]);
});
