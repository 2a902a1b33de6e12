import type { Clock, Logger } from '@tollgate/kit';
import { z } from 'zod';

import { ApiError } from '../api/rest-client';
import { about, refusal } from './api-proxy';
import type { PlaygroundKeys } from './playground-keys';
import { readBody } from './read-body';
import type { Refresh } from './refresh';
import { isOwnRequest } from './same-origin';
import { securityHeaders } from './security-headers';
import { endedCookies, isEncrypted, readSession, sessionCookies, type Tokens } from './session';

// What every path of the playground does: checks the request, obtains a temporary key of the session,
// asks the gateway with it. The key never leaves the server.

export interface PlaygroundDeps {
  readonly edgeUrl: string;
  readonly refresh: Refresh;
  readonly keys: PlaygroundKeys;
  readonly log: Logger;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

interface Answered {
  /** HTTP status of the gateway. */
  readonly status: number;
}

interface Exchange<Body, Answer extends Answered> {
  readonly bodyLimitBytes: number;
  /** The accepted request. The gateway validates it further. */
  readonly schema: z.ZodType<Body>;
  readonly ask: (body: Body, key: string, request: Request) => Promise<Answer>;
  /** Frees an answer that is not passed on. */
  readonly discard: (answer: Answer) => Promise<void>;
  readonly respond: (answer: Answer, headers: Headers) => Response;
}

const NEW_MS = 5_000;

export function createPlaygroundRoute<Body, Answer extends Answered>(
  deps: PlaygroundDeps,
  exchange: Exchange<Body, Answer>,
) {
  return async (request: Request, organisationId: string): Promise<Response> => {
    if (!isOwnRequest(request.method, request.headers)) {
      return refusal(request, 'forbidden', 'Only pages of this console may do this.');
    }
    const bytes = await readBody(request, exchange.bodyLimitBytes);
    if (bytes === 'too large') return refusal(request, 'payload_too_large');
    const body = exchange.schema.safeParse(jsonOf(bytes));
    if (!body.success) return refusal(request, 'validation_failed', z.prettifyError(body.error));
    try {
      return await converse(deps, exchange, request, organisationId, body.data);
    } catch (error) {
      if (error instanceof ApiError) return refused(request, error);
      if (request.signal.aborted) return refusal(request, 'internal_error', 'Stopped.');
      deps.log.error('the playground could not ask', { error, ...about(request) });
      return refusal(request, 'dependency_unavailable', 'The gateway cannot be reached.');
    }
  };
}

async function converse<Body, Answer extends Answered>(
  deps: PlaygroundDeps,
  exchange: Exchange<Body, Answer>,
  request: Request,
  organisationId: string,
  body: Body,
): Promise<Response> {
  const session = readSession(request.headers.get('cookie'));
  const encrypted = isEncrypted(request.headers);
  let renewed: Tokens | undefined;
  if (session.access === undefined && session.refresh !== undefined) {
    renewed = await deps.refresh(session.refresh);
    if (renewed === undefined)
      return withCookies(refusal(request, 'unauthenticated'), endedCookies(encrypted));
  }
  const access = renewed?.access ?? session.access;
  if (access === undefined) return refusal(request, 'unauthenticated');

  const kept = await deps.keys.get(access, organisationId);
  let answer = await exchange.ask(body, kept.key, request);
  if (isOutdated(answer.status, deps.clock.now() - kept.madeAtMs)) {
    await exchange.discard(answer);
    deps.keys.drop(access, organisationId);
    const { key } = await deps.keys.get(access, organisationId);
    answer = await exchange.ask(body, key, request);
  }
  deps.log.info('playground', { ...about(request), status: answer.status });
  const headers = new Headers(securityHeaders(encrypted));
  headers.set('cache-control', 'no-store, no-transform');
  const cookies = renewed === undefined ? [] : sessionCookies(renewed, encrypted);
  return withCookies(exchange.respond(answer, headers), cookies);
}

/**
 * A cached key may be revoked or lack a newer model or server, so one retry uses a new key. A new key's
 * refusal is final.
 */
function isOutdated(status: number, ageMs: number): boolean {
  return (status === 401 || status === 403) && ageMs > NEW_MS;
}

/** The catalog refused a key; its error is passed on. */
function refused(request: Request, error: ApiError): Response {
  const { status, code, message, details } = error;
  const headers = securityHeaders(isEncrypted(request.headers));
  return Response.json({ error: { code, message, details } }, { status: status || 502, headers });
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    // Invalid JSON becomes undefined, which the schema reports.
    return undefined;
  }
}
