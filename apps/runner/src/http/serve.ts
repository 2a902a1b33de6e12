// Streamable HTTP inward, for the edge and the catalog: one request, its session, its answer.
import type {
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  ServerResponse,
} from 'node:http';
import type { Logger } from '@tollgate/kit';

import { readMessage, type Message } from '../messages';
import {
  refusalHeaders,
  refusalText,
  SESSION_NOT_FOUND,
  type Owner,
  type Refusal,
  type Sessions,
} from '../sessions';
import { admit, type Admission } from './admission';
import { readBody } from './body';

export interface ServeDeps extends Admission {
  readonly sessions: Sessions;
  readonly log: Logger;
  readonly served: (method: string, status: number) => void;
}

/** Dead peers are noticed although streams are silent for long. */
const KEEP_ALIVE_PROBE_MS = 30_000;

export function createHandler(deps: ServeDeps): RequestListener {
  return (request, response) => {
    request.socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    response.once('close', () => deps.served(request.method ?? '', response.statusCode));
    serve(deps, request, response).catch((error: unknown) => {
      deps.log.error('a request failed', { path: request.url, error });
      if (response.headersSent) return void response.destroy();
      response.writeHead(500).end();
    });
  };
}

async function serve(
  deps: ServeDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const owner = admit(request, deps);
  if ('status' in owner) return refuse(response, owner);
  const { method } = request;
  const refusal =
    method === 'POST'
      ? await post(deps, owner, request, response)
      : method === 'GET'
        ? listen(deps, owner, request, response)
        : method === 'DELETE'
          ? await end(deps, owner, request, response)
          : WRONG_METHOD;
  if (refusal !== undefined) refuse(response, refusal);
}

async function post(
  { sessions }: ServeDeps,
  owner: Owner,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | undefined> {
  const text = await readBody(request);
  if (typeof text !== 'string') return text;
  const message = readMessage(text);
  if (message === undefined) return NO_MESSAGE;
  if (!accepts(request, message)) return NOT_ACCEPTED;
  if (message.kind !== 'response' && message.statelessVersion !== undefined) {
    if (message.kind === 'notification') return NO_NOTIFICATIONS;
    const channel = await sessions.stateless(owner);
    return 'status' in channel ? channel : channel.post(message, text, response);
  }
  const id = sessionIdOf(request);
  if (id !== undefined) {
    const session = sessions.find(owner, id);
    return session === undefined ? SESSION_NOT_FOUND : session.post(message, text, response);
  }
  if (message.kind !== 'request' || message.method !== 'initialize') return NO_SESSION;
  const session = await sessions.create(owner);
  if ('status' in session) return session;
  session.begin(message, text, response);
  return undefined;
}

function listen(
  { sessions }: ServeDeps,
  owner: Owner,
  request: IncomingMessage,
  response: ServerResponse,
): Refusal | undefined {
  const id = sessionIdOf(request);
  // Only sessions have a stream of their own.
  if (id === undefined) return WRONG_METHOD;
  if (!hasType(request, 'text/event-stream')) return NOT_ACCEPTED;
  const lastEventId = request.headers['last-event-id'];
  const session = sessions.find(owner, id);
  if (session === undefined) return SESSION_NOT_FOUND;
  return session.listen(typeof lastEventId === 'string' ? lastEventId : undefined, response);
}

async function end(
  { sessions }: ServeDeps,
  owner: Owner,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Refusal | undefined> {
  const id = sessionIdOf(request);
  if (id === undefined) return WRONG_METHOD;
  if (!(await sessions.end(owner, id))) return SESSION_NOT_FOUND;
  response.writeHead(200).end();
  return undefined;
}

function sessionIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['mcp-session-id'];
  return typeof id === 'string' ? id : undefined;
}

/** A request may be answered as either type. */
function accepts(request: IncomingMessage, { kind }: Message): boolean {
  if (kind !== 'request') return true;
  return hasType(request, 'application/json') && hasType(request, 'text/event-stream');
}

function hasType({ headers: { accept = '*/*' } }: IncomingMessage, type: string): boolean {
  const [family = ''] = type.split('/');
  const wanted = new Set([type, `${family}/*`, '*/*']);
  return accept.split(',').some((item) => wanted.has((item.split(';', 1)[0] ?? '').trim()));
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  const { retryAfterMs, status } = refusal;
  const headers: OutgoingHttpHeaders = {
    'content-type': 'application/json',
    ...refusalHeaders(refusal),
  };
  if (retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1_000));
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 405) headers['allow'] = 'POST';
  response.writeHead(status, headers).end(refusalText(refusal));
}

const WRONG_METHOD: Refusal = {
  status: 405,
  code: 'method_not_allowed',
  message: 'Use POST. GET and DELETE need the header mcp-session-id.',
};
const NO_MESSAGE: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'The body must be one JSON-RPC 2.0 message.',
};
const NOT_ACCEPTED: Refusal = {
  status: 406,
  code: 'invalid_request',
  message: 'The header Accept must allow application/json and text/event-stream.',
};
const NO_SESSION: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'The header mcp-session-id is required for everything but initialize.',
};
const NO_NOTIFICATIONS: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'This revision has no notifications of clients. Close a request’s stream to cancel it.',
};
