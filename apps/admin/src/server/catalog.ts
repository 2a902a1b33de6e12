import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { rest } from '@tollgate/contracts';
import axios from 'axios';

import { askForFile, isFile, wholeOf } from './catalog-file';
import { cookieSet, type Tokens } from './session';

// The catalog's REST interface for the console's server: raw responses, and the three calls that
// handle tokens.

export interface CatalogRequest {
  readonly method: string;
  /** Path and query, below the catalog's URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** How long the answer may take; for files, its beginning. */
  readonly timeoutMs?: number;
}

export interface CatalogAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly setCookies: readonly string[];
  readonly body: Uint8Array;
  /** A file's stream instead of a body. The caller must read or cancel it. */
  readonly file?: ReadableStream<Uint8Array>;
}

/** Rejects only when the catalog is not reachable. */
export type SendToCatalog = (request: CatalogRequest) => Promise<CatalogAnswer>;

const TIMEOUT_MS = 15_000;
const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024;

/** `token` authenticates the console, so that the catalog trusts its client addresses. */
export function createSendToCatalog(baseUrl: string, token?: string): SendToCatalog {
  const base = baseUrl.replace(/\/$/, '');
  const client = axios.create({
    baseURL: base,
    maxContentLength: ANSWER_LIMIT_BYTES,
    maxRedirects: 0,
    // The catalog is internal: HTTP proxies do not apply.
    proxy: false,
    responseType: 'arraybuffer',
    transformRequest: [],
    validateStatus: () => true,
  });

  const readWhole: SendToCatalog = async ({
    method,
    path,
    headers,
    body,
    timeoutMs = TIMEOUT_MS,
  }) => {
    const data = body === undefined || body.byteLength === 0 ? undefined : Buffer.from(body);
    const answer = await client.request<Uint8Array<ArrayBuffer>>({
      method,
      url: path,
      headers,
      data,
      timeout: timeoutMs,
    });
    return { status: answer.status, ...headersOf(answer.headers), body: answer.data };
  };

  return ({ method, path, body, timeoutMs, ...request }) => {
    const headers = { ...request.headers, ...(token && { 'x-service-token': token }) };
    const answer = isFile(method, path)
      ? readFile(base, path, headers)
      : readWhole({ method, path, headers, body, ...(timeoutMs !== undefined && { timeoutMs }) });
    return answer.catch((error: unknown) => {
      // axios errors contain the whole request, including tokens.
      throw new Error(`${method} ${withoutQuery(path)}: ${reasonOf(error)}`);
    });
  };
}

const EMPTY = new Uint8Array();

async function readFile(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<CatalogAnswer> {
  const { status, stream, ...answer } = await askForFile({
    baseUrl,
    path,
    headers,
    beginsWithinMs: TIMEOUT_MS,
  });
  const known = { status, ...headersOf(answer.headers) };
  if (status !== 200) return { ...known, body: await wholeOf(stream, ANSWER_LIMIT_BYTES) };
  return { ...known, body: EMPTY, file: Readable.toWeb(stream) as ReadableStream<Uint8Array> };
}

function headersOf(
  answered: Readonly<Record<string, unknown>>,
): Pick<CatalogAnswer, 'headers' | 'setCookies'> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(answered)) {
    if (typeof value === 'string') headers.set(name.toLowerCase(), value);
  }
  const cookies: unknown = answered['set-cookie'];
  const setCookies = Array.isArray(cookies) ? cookies.map(String) : [];
  return { headers, setCookies };
}

function withoutQuery(path: string): string {
  return path.split('?')[0] ?? path;
}

function reasonOf(error: unknown): string {
  if (axios.isAxiosError(error)) return error.code ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

/** The tokens of a sign-in or refresh response; undefined on failure. */
export function tokensIn(answer: CatalogAnswer): Tokens | undefined {
  if (answer.status !== 200) return undefined;
  const session = rest.session.parse(jsonIn(answer));
  const cookie = cookieSet(answer.setCookies, rest.REFRESH_COOKIE);
  if (cookie === undefined) throw new Error('the catalog answered a session without its cookie');
  return {
    access: session.accessToken,
    accessSeconds: session.expiresIn,
    refresh: cookie.value,
    refreshSeconds: cookie.maxAgeSeconds,
  };
}

export function jsonIn(answer: CatalogAnswer): unknown {
  const text = Buffer.from(answer.body).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}

/** The request header with the refresh token. */
export function refreshCookie(token: string): Record<string, string> {
  return { cookie: `${rest.REFRESH_COOKIE}=${token}` };
}

/** Exchanges a refresh token. 401 ends the session; any other status but 200 is a failure. */
export function createExchange(send: SendToCatalog) {
  return async (refreshToken: string): Promise<Tokens | undefined> => {
    const { method, path } = rest.refresh;
    const answer = await send({ method, path, headers: refreshCookie(refreshToken) });
    if (answer.status === 401) return undefined;
    const tokens = tokensIn(answer);
    if (tokens === undefined) throw new Error(`refresh was answered with ${answer.status}`);
    return tokens;
  };
}
