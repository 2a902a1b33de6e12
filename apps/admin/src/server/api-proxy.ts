import { rest, REST_ERRORS, type RestErrorCode } from '@tollgate/contracts';
import type { Logger } from '@tollgate/kit';

import { paths } from '../shell/paths';
import { jsonIn, refreshCookie, tokensIn, type CatalogAnswer, type SendToCatalog } from './catalog';
import { readBody } from './read-body';
import type { Refresh } from './refresh';
import { isOwnRequest } from './same-origin';
import { securityHeaders } from './security-headers';
import {
  cookieIn,
  cookieSet,
  endedCookies,
  isEncrypted,
  readSession,
  sessionCookies,
  type Session,
  type Tokens,
} from './session';

// `/api/*` of the console forwards to the catalog's REST interface and adds the session's bearer
// token, so scripts never see one. Only listed headers pass in either direction.

export interface ApiProxyDeps {
  readonly send: SendToCatalog;
  /** The header with the client address that the server established. */
  readonly addressHeader: string;
  readonly refresh: Refresh;
  readonly log: Logger;
}

const BODY_LIMIT_BYTES = 1024 * 1024;
const REQUEST_HEADERS = [
  'accept',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'user-agent',
];
const SSO_PATHS: readonly string[] = [rest.startSso.path, rest.finishSso.path];
const ANSWER_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-type',
  'etag',
  'retry-after',
  'x-request-id',
];

export function createApiProxy(deps: ApiProxyDeps): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await answer(deps, request);
    } catch (error) {
      deps.log.error('the catalog could not be asked', { error, ...about(request) });
      return refusal(request, 'dependency_unavailable', 'The catalog cannot be reached.');
    }
  };
}

async function answer(deps: ApiProxyDeps, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!isOwnRequest(request.method, request.headers)) {
    return refusal(request, 'forbidden', 'Only pages of this console may do this.');
  }
  const body = await readBody(request, BODY_LIMIT_BYTES);
  if (body === 'too large') return refusal(request, 'payload_too_large');
  if (request.method === 'GET' && SSO_PATHS.includes(pathname)) return signOn(deps, request);
  if (pathname === rest.login.path) return signIn(deps, request, body);
  if (pathname === rest.logout.path) return signOut(deps, request);
  // Pages must not call these: the response would contain tokens.
  if (pathname === rest.refresh.path) return refusal(request, 'not_found');
  return forward(deps, request, body);
}

async function signIn(deps: ApiProxyDeps, request: Request, body: Uint8Array): Promise<Response> {
  const answered = await deps.send({ ...plain(deps, request), body });
  const tokens = tokensIn(answered);
  if (tokens === undefined) return passOn(request, answered, []);
  return new Response(null, {
    status: 204,
    headers: answerHeaders(request, sessionCookies(tokens, isEncrypted(request.headers))),
  });
}

/**
 * The two redirects of single sign-on, which browsers open as pages. The catalog receives and sets
 * only the cookie of this sign-in. A new session becomes the console's own cookies.
 */
async function signOn(deps: ApiProxyDeps, request: Request): Promise<Response> {
  const encrypted = isEncrypted(request.headers);
  const { method, path, headers } = plain(deps, request);
  const kept = cookieIn(request.headers.get('cookie'), rest.SSO_COOKIE);
  try {
    const answered = await deps.send({
      method,
      path,
      headers: {
        ...headers,
        ...(encrypted ? { 'x-forwarded-proto': 'https' } : {}),
        ...(kept === undefined ? {} : { cookie: `${rest.SSO_COOKIE}=${kept}` }),
      },
    });
    const location = answered.headers.get('location');
    if (answered.status !== 302 || location === undefined) {
      return sentOn(request, paths.signInFailed(refusedWith(answered)), []);
    }
    const cookies = answered.setCookies.filter((cookie) =>
      cookie.startsWith(`${rest.SSO_COOKIE}=`),
    );
    const begun = cookieSet(answered.setCookies, rest.REFRESH_COOKIE);
    if (begun === undefined) return sentOn(request, location, cookies);
    const tokens = await deps.refresh(begun.value);
    if (tokens === undefined) return sentOn(request, paths.signInFailed('sso_failed'), cookies);
    return sentOn(request, location, [...cookies, ...sessionCookies(tokens, encrypted)]);
  } catch (error) {
    deps.log.error('the catalog could not be asked', { error, ...about(request) });
    return sentOn(request, paths.signInFailed('dependency_unavailable'), []);
  }
}

function sentOn(request: Request, location: string, cookies: readonly string[]): Response {
  const headers = answerHeaders(request, cookies);
  headers.set('location', location);
  return new Response(null, { status: 302, headers });
}

function refusedWith(answered: CatalogAnswer): string {
  const isJson = answered.headers.get('content-type')?.startsWith('application/json') === true;
  const body = rest.errorBody.safeParse(isJson ? jsonIn(answered) : undefined);
  return body.success ? body.data.error.code : 'sso_failed';
}

/** Signing out always clears the cookies, even if the catalog fails. */
async function signOut(deps: ApiProxyDeps, request: Request): Promise<Response> {
  const { refresh } = readSession(request.headers.get('cookie'));
  if (refresh !== undefined) {
    const { method, path, headers } = plain(deps, request);
    await deps
      .send({ method, path, headers: { ...headers, ...refreshCookie(refresh) } })
      .catch((error: unknown) =>
        deps.log.warn('a session could not be ended at the catalog', { error }),
      );
  }
  const cookies = endedCookies(isEncrypted(request.headers));
  return new Response(null, { status: 204, headers: answerHeaders(request, cookies) });
}

async function forward(deps: ApiProxyDeps, request: Request, body: Uint8Array): Promise<Response> {
  const session = readSession(request.headers.get('cookie'));
  const encrypted = isEncrypted(request.headers);
  let renewed = session.access === undefined ? await renew(deps, session) : undefined;
  if (renewed === 'ended') return passOn(request, await ask(undefined), endedCookies(encrypted));

  let answered = await ask(renewed?.access ?? session.access);
  // The token may have expired, or its signing secret changed.
  if (answered.status === 401 && renewed === undefined && session.refresh !== undefined) {
    renewed = await renew(deps, session);
    if (renewed === 'ended') return passOn(request, answered, endedCookies(encrypted));
    if (renewed !== undefined) answered = await ask(renewed.access);
  }
  const cookies = renewed === undefined ? [] : sessionCookies(renewed, encrypted);
  return passOn(request, answered, cookies);

  function ask(access: string | undefined): Promise<CatalogAnswer> {
    const { method, path, headers } = plain(deps, request);
    const bearer = access === undefined ? {} : { authorization: `Bearer ${access}` };
    return deps.send({ method, path, headers: { ...headers, ...bearer }, body });
  }
}

async function renew(deps: ApiProxyDeps, session: Session): Promise<Tokens | 'ended' | undefined> {
  if (session.refresh === undefined) return undefined;
  return (await deps.refresh(session.refresh)) ?? 'ended';
}

/**
 * The request without session headers. The catalog counts failed sign-ins by address, so it gets
 * the address established here and none that the browser claims.
 */
function plain(
  { addressHeader }: ApiProxyDeps,
  request: Request,
): {
  method: string;
  path: string;
  headers: Record<string, string>;
} {
  const { pathname, search } = new URL(request.url);
  const headers: Record<string, string> = {};
  for (const name of REQUEST_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const address = request.headers.get(addressHeader);
  if (address !== null) headers['x-forwarded-for'] = address;
  return { method: request.method, path: `${pathname}${search}`, headers };
}

function passOn(request: Request, answered: CatalogAnswer, cookies: readonly string[]): Response {
  const headers = answerHeaders(request, cookies);
  for (const name of ANSWER_HEADERS) {
    const value = answered.headers.get(name);
    if (value !== undefined) headers.set(name, value);
  }
  const empty = answered.status === 204 || answered.status === 304;
  const body = empty ? null : (answered.file ?? Buffer.from(answered.body));
  return new Response(body as BodyInit | null, { status: answered.status, headers });
}

function answerHeaders(request: Request, cookies: readonly string[]): Headers {
  const headers = new Headers(securityHeaders(isEncrypted(request.headers)));
  headers.set('cache-control', 'no-store');
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return headers;
}

/** An error of the console in the catalog's format. */
export function refusal(request: Request, code: RestErrorCode, message?: string): Response {
  const { status, sentence } = REST_ERRORS[code];
  const body: rest.ErrorBody = { error: { code, message: message ?? sentence, details: [] } };
  return Response.json(body, { status, headers: answerHeaders(request, []) });
}

/** For logs: without the query, which may contain search text. */
export function about(request: Request): { method: string; path: string } {
  return { method: request.method, path: new URL(request.url).pathname };
}
