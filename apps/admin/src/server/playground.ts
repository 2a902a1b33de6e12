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

// One chat of the playground: obtains a temporary key, then streams the gateway's response through.
// The key never leaves the server.

export interface PlaygroundDeps {
  readonly edgeUrl: string;
  readonly refresh: Refresh;
  readonly keys: PlaygroundKeys;
  readonly log: Logger;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

const NEW_MS = 5_000;
/** Room for some pictures and the conversation so far. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
const ANSWER_HEADERS = [
  'content-type',
  'retry-after',
  'x-request-id',
  'x-tollgate-model',
  'x-tollgate-provider',
  'x-tollgate-cost-usd',
  'x-tollgate-dropped',
];

/** Pictures are inline. A URL would make a server fetch it. */
const imageBlock = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().startsWith('data:image/') }),
});

/** The accepted request. The gateway validates it further. */
const chatRequest = z.strictObject({
  model: z.string().min(1).max(200),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.string(),
        content_blocks: z.array(imageBlock).max(16).optional(),
      }),
    )
    .min(1)
    .max(1000),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional(),
  tools: z.array(z.looseObject({})).max(128).optional(),
});

export function createPlayground(deps: PlaygroundDeps) {
  return async (request: Request, organisationId: string): Promise<Response> => {
    if (!isOwnRequest(request.method, request.headers)) {
      return refusal(request, 'forbidden', 'Only pages of this console may do this.');
    }
    const body = await readBody(request, BODY_LIMIT_BYTES);
    if (body === 'too large') return refusal(request, 'payload_too_large');
    const chat = chatRequest.safeParse(jsonOf(body));
    if (!chat.success) return refusal(request, 'validation_failed', z.prettifyError(chat.error));
    try {
      return await converse(deps, request, organisationId, chat.data);
    } catch (error) {
      if (error instanceof ApiError) return refused(request, error);
      if (request.signal.aborted) return refusal(request, 'internal_error', 'Stopped.');
      deps.log.error('the playground could not ask', { error, ...about(request) });
      return refusal(request, 'dependency_unavailable', 'The gateway cannot be reached.');
    }
  };
}

async function converse(
  deps: PlaygroundDeps,
  request: Request,
  organisationId: string,
  chat: z.output<typeof chatRequest>,
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
  let answer = await ask(deps, request, chat, kept.key);
  if (isOutdated(answer.status, deps.clock.now() - kept.madeAtMs)) {
    await answer.body?.cancel();
    deps.keys.drop(access, organisationId);
    const { key } = await deps.keys.get(access, organisationId);
    answer = await ask(deps, request, chat, key);
  }
  deps.log.info('playground', { ...about(request), status: answer.status });
  const cookies = renewed === undefined ? [] : sessionCookies(renewed, encrypted);
  return withCookies(passOn(request, answer), cookies);
}

/**
 * A cached key may be revoked or lack a newer model, so one retry uses a new key. A new key's
 * refusal is final.
 */
function isOutdated(status: number, ageMs: number): boolean {
  return (status === 401 || status === 403) && ageMs > NEW_MS;
}

function ask(
  deps: PlaygroundDeps,
  request: Request,
  chat: z.output<typeof chatRequest>,
  key: string,
): Promise<Response> {
  return deps.fetch(`${deps.edgeUrl.replace(/\/$/, '')}/v1/llm/chat`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-tollgate-stream-cost': 'true',
    },
    body: JSON.stringify({ ...chat, stream: true, include_usage: true }),
    // When the reader disconnects, the upstream call is aborted.
    signal: request.signal,
    redirect: 'error',
    cache: 'no-store',
  });
}

function passOn(request: Request, answer: Response): Response {
  const headers = new Headers(securityHeaders(isEncrypted(request.headers)));
  headers.set('cache-control', 'no-store, no-transform');
  headers.set('x-accel-buffering', 'no');
  for (const name of ANSWER_HEADERS) {
    const value = answer.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers });
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
