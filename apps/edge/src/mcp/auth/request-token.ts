// Asks a token endpoint for a token by the client credentials grant (RFC 6749, section 4.4).

import { gatewayError, type GatewayError } from '@tollgate/contracts';
import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { startCall, type RunningCall } from '../../upstream/call';
import { UpstreamFailure } from '../../upstream/failure';
import { readAll } from '../../upstream/read-answer';
import { misconfigured } from './misconfigured';
import type { IssuedToken } from './token-source';

export interface OAuthClient {
  readonly url: URL;
  readonly agent: Dispatcher;
  readonly connectTimeoutMs: number;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Empty: none is sent, as with `resource`. */
  readonly scope: string;
  /** RFC 8707: the address that the token is for. */
  readonly resource: string;
}

const ANSWER_BYTES = 64 * 1024;
const FIRST_BYTE_MS = 10_000;
const TOTAL_MS = 15_000;

/** Redirects are not followed, because they would send the client's secret elsewhere. */
export async function requestToken(client: OAuthClient): Promise<IssuedToken> {
  const running = start(client);
  try {
    const answer = await running.answer;
    const body = await readAll(answer, { limitBytes: ANSWER_BYTES, takeRoom: () => undefined });
    if (answer.status !== 200) throw refusedWith(answer.status, body);
    return readToken(body);
  } catch (error) {
    running.abort();
    throw error instanceof UpstreamFailure ? failed(error) : error;
  }
}

function start({ url, agent, connectTimeoutMs, ...client }: OAuthClient): RunningCall {
  return startCall({
    dispatcher: agent,
    origin: url.origin,
    method: 'POST',
    path: `${url.pathname}${url.search}`,
    headers: {
      accept: 'application/json',
      authorization: basic(client.clientId, client.clientSecret),
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'tollgate',
    },
    body: formOf(client),
    connectTimeoutMs,
    firstByteTimeoutMs: FIRST_BYTE_MS,
    idleTimeoutMs: FIRST_BYTE_MS,
    totalTimeoutMs: TOTAL_MS,
    responseLimitBytes: ANSWER_BYTES,
  });
}

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined. */
function basic(clientId: string, clientSecret: string): string {
  const pair = [clientId, clientSecret].map(formEncoded).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function formOf({ scope, resource }: Pick<OAuthClient, 'resource' | 'scope'>): string {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== '') form.set('scope', scope);
  if (resource !== '') form.set('resource', resource);
  return form.toString();
}

/** Lifetime of a token whose server states none. */
const USUAL_LIFETIME_S = 300;
const MOST_LIFETIME_S = 86_400;

const answerShape = z.object({
  access_token: z
    .string()
    .max(8_192)
    .regex(/^[\x21-\x7e]+$/),
  token_type: z.string().regex(/^bearer$/i),
  // Some servers send the seconds as a text.
  expires_in: z.coerce.number().positive().nullish(),
});

function readToken(body: Buffer): IssuedToken {
  const { data } = answerShape.safeParse(parsed(body));
  if (!data) throw authFailed('answered with no usable bearer token');
  const seconds = Math.min(data.expires_in ?? USUAL_LIFETIME_S, MOST_LIFETIME_S);
  return { token: data.access_token, lifetimeMs: Math.floor(seconds * 1_000) };
}

const refusalShape = z.object({ error: z.string().regex(/^[a-z_]{1,64}$/) });

/** Only the error's code is kept: its description may quote the request. */
function refusedWith(status: number, body: Buffer): GatewayError {
  const { data } = refusalShape.safeParse(parsed(body));
  const cause = new Error(`token endpoint: status ${status} ${data?.error ?? 'without a code'}`);
  return authFailed(`refused the gateway's client with status ${status}`, cause, status);
}

/** Undefined: it is not JSON. */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function failed(failure: UpstreamFailure): GatewayError {
  if (failure.error.code === 'provider_misconfigured') {
    return misconfigured('the gateway may not connect to the address of its token endpoint');
  }
  const problem = failure.outcome === 'TIMEOUT' ? 'did not answer in time' : 'could not be used';
  return authFailed(problem, failure);
}

function authFailed(problem: string, cause?: Error, upstreamStatus?: number): GatewayError {
  const text = `The gateway got no token for the MCP server: its token endpoint ${problem}. An administrator has to check the server's client id, secret and token endpoint.`;
  return gatewayError('provider_auth_failed', text, {
    ...(cause && { cause }),
    ...(upstreamStatus !== undefined && { details: { upstreamStatus } }),
  });
}
