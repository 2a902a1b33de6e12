// Asks a token endpoint for a token by the client credentials grant (RFC 6749, section 4.4).

import { gatewayError, type GatewayError } from '@tollgate/contracts';
import {
  readTokenAnswer,
  TOKEN_ANSWER_BYTES,
  tokenRequest,
  type TokenClient,
} from '@tollgate/contracts/node';
import type { IssuedToken } from '@tollgate/kit';
import type { Dispatcher } from 'undici';
import { z } from 'zod';

import { startCall, type RunningCall } from '../../upstream/call';
import { UpstreamFailure } from '../../upstream/failure';
import { readAll } from '../../upstream/read-answer';
import { misconfigured } from './misconfigured';

export interface OAuthClient extends TokenClient {
  readonly url: URL;
  readonly agent: Dispatcher;
  readonly connectTimeoutMs: number;
}

const FIRST_BYTE_MS = 10_000;
const TOTAL_MS = 15_000;

/** Redirects are not followed, because they would send the client's secret elsewhere. */
export async function requestToken(client: OAuthClient): Promise<IssuedToken> {
  const running = start(client);
  try {
    const answer = await running.answer;
    const body = await readAll(answer, {
      limitBytes: TOKEN_ANSWER_BYTES,
      takeRoom: () => undefined,
    });
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
    ...tokenRequest(client),
    connectTimeoutMs,
    firstByteTimeoutMs: FIRST_BYTE_MS,
    idleTimeoutMs: FIRST_BYTE_MS,
    totalTimeoutMs: TOTAL_MS,
    responseLimitBytes: TOKEN_ANSWER_BYTES,
  });
}

function readToken(body: Buffer): IssuedToken {
  const issued = readTokenAnswer(body.toString('utf8'));
  if (!issued) throw authFailed('answered with no usable bearer token');
  return issued;
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
