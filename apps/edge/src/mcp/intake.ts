// From the first byte of a request to a message that policy can be asked about.

import type { IncomingMessage } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { isLoopback } from '@tollgate/kit';

import { packingOf, parseBody, readBody, readPackedBody } from '../intake';
import { beginTrace } from '../tracing';
import { HeadersContradict, MethodNotAllowed } from './errors/refusals';
import type { McpExchange, ReceivedExchange } from './exchange';
import type { McpGateway } from './gateway';
import { checkModernHeaders, eraOf, protocolVersionOf } from './headers';
import { readMessage } from './message/read-message';
import { traceInMessage } from './message/trace-context';
import type { Caller } from './sign-in';

const BODY_BYTES = 4 * 1024 * 1024;

/**
 * Pages of other sites could call servers in a private network through a browser that has a key.
 * @throws GatewayError `mcp_access_denied`
 */
export function checkOrigin({ allowsOrigin }: McpGateway, { req }: McpExchange): void {
  const { origin } = req.headers;
  if (origin === undefined || allowsOrigin(origin)) return;
  if (isLoopback(req.socket.localAddress ?? '') && isLoopbackOrigin(origin)) return;
  const text = `origin: ${origin.slice(0, 256)} may not call MCP servers. An operator can allow it with EDGE_CORS_ORIGINS.`;
  throw gatewayError('mcp_access_denied', text, { param: 'origin' });
}

// Pages of the same machine may call a gateway of that machine, as the MCP inspector does.
function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  return isLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
}

/** @throws MethodNotAllowed */
export function checkMethod({ req: { method } }: McpExchange): void {
  if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') throw new MethodNotAllowed();
}

/**
 * Reads the message. GET and DELETE have none.
 * @throws GatewayError `invalid_api_key`, `invalid_request`, `overloaded`; ClientGone; HeadersContradict
 */
export async function receive(
  gateway: McpGateway,
  exchange: McpExchange,
  caller: Caller,
): Promise<ReceivedExchange> {
  const { req } = exchange;
  const received = Object.assign(exchange, caller);
  if (req.method === 'POST') await receiveMessage(gateway, received);
  // The route takes no body, so one that is sent anyway is discarded.
  else req.resume();
  noteRevision(received);
  const { message } = received;
  const inMessage = message?.kind === 'request' ? traceInMessage(message.params) : undefined;
  // What a message says is about the message; the headers are about the HTTP request that carries it.
  if (inMessage) beginTrace(gateway.tracing, received, inMessage);
  return received;
}

async function receiveMessage(gateway: McpGateway, exchange: ReceivedExchange): Promise<void> {
  const { req } = exchange;
  checkContentType(req);
  const lease = (exchange.lease = gateway.bodies.open());
  const options = { limitBytes: BODY_BYTES, lease, confirm: () => confirmKey(gateway, exchange) };
  const packing = packingOf(req);
  const sent = await (packing ? readPackedBody(req, packing, options) : readBody(req, options));
  refuseBatch(sent);
  const body = await parseBody(gateway.json, sent, {
    maxDepth: gateway.bodyDepth,
    dropBytes: false,
  });
  exchange.body = body.bytes;
  exchange.requestBytes = body.bytes.length;
  exchange.message = readMessage(body.json, body.bytes);
  exchange.document = body.json;
  if (exchange.message.kind === 'request') exchange.rpcId = exchange.message.id;
}

async function confirmKey(
  { policy }: McpGateway,
  { keySha256 }: ReceivedExchange,
): Promise<string> {
  if (!(await policy.confirmKey(keySha256))) throw gatewayError('invalid_api_key');
  return keySha256.toString('latin1');
}

function checkContentType(req: IncomingMessage): void {
  const [type = ''] = (req.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  throw gatewayError('invalid_request', 'content-type: must be application/json', {
    param: 'content-type',
  });
}

const BRACKET_OPEN = 0x5b;
const SPACE = 0x20;

// Only the revision 2025-03-26 has batches. One decision cannot be made about several requests.
function refuseBatch(body: Buffer): void {
  let at = 0;
  while ((body[at] ?? BRACKET_OPEN + 1) <= SPACE) at += 1;
  if (body[at] !== BRACKET_OPEN) return;
  throw gatewayError('invalid_request', 'The body is a batch. Send each message by itself.');
}

function noteRevision(exchange: ReceivedExchange): void {
  const { message, req } = exchange;
  const headers = req.headersDistinct;
  const named = message?.kind === 'response' ? undefined : message;
  exchange.modern = eraOf(headers, named) === 'modern';
  exchange.protocolVersion = protocolVersionOf(headers, named);
  const mismatch = named && checkModernHeaders(headers, named);
  if (mismatch) throw new HeadersContradict(mismatch);
}
