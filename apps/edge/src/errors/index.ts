// Sends a refusal to a client: the gateway's own error in the format of the route, or the vendor's
// unchanged, both with the headers that SDKs read. The formats write the bodies.

import type { IncomingMessage } from 'node:http';
import { ERROR_CODE_HEADER, type ErrorCode, type GatewayError } from '@tollgate/contracts';

import type { ClientReply } from '../client-reply';
import type { Format } from '../formats';
import { discard } from '../intake/discard';
import { requestIdHeaders } from '../reply/answer-headers';
import type { VendorRefusal } from '../upstream/vendor-refusal';
import { withLongWait } from './long-wait';

/** The rest of a body up to this length is read, so that the connection can be kept. */
const DISCARDED_BYTES = 64 * 1024;
/** How long the rest of a larger body is discarded before the connection is closed. */
const LINGER_MS = 2_000;

/** Sends the error. Returns the status that was sent. */
export function sendError(
  req: IncomingMessage,
  res: ClientReply,
  format: Pick<Format, 'encodeError'>,
  error: GatewayError,
  requestId: string,
  traceId = '',
): number {
  const encoded = format.encodeError(withLongWait(error), { requestId, traceId });
  const { headers, status } = encoded;
  send(req, res, { status, headers, body: JSON.stringify(encoded.body) }, requestId);
  return status;
}

/** The body that `sendError` sends. */
export function errorBody(
  format: Pick<Format, 'encodeError'>,
  error: GatewayError,
  requestId: string,
  traceId = '',
): string {
  return JSON.stringify(format.encodeError(withLongWait(error), { requestId, traceId }).body);
}

/** Sends the vendor's own error. Returns the status that was sent. */
export function sendVendorRefusal(
  req: IncomingMessage,
  res: ClientReply,
  refusal: VendorRefusal,
  { code, requestId }: { code: ErrorCode; requestId: string },
): number {
  const headers = { ...refusal.headers, [ERROR_CODE_HEADER]: code };
  send(req, res, { ...refusal, headers }, requestId);
  return refusal.status;
}

function send(
  req: IncomingMessage,
  res: ClientReply,
  { status, headers, body }: VendorRefusal,
  requestId: string,
): void {
  const close = !worthReading(req);
  if (close) res.setHeader('connection', 'close');
  res.writeHead(status, {
    ...requestIdHeaders(requestId),
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  if (close) endAfter(req, res, body);
  else res.end(body);
}

// Node reads the rest of a refused body before the connection's next request.
function worthReading(req: IncomingMessage): boolean {
  if (req.complete) return true;
  if (req.headers['transfer-encoding'] !== undefined) return false;
  return Number(req.headers['content-length'] ?? 0) <= DISCARDED_BYTES;
}

// Closing a connection while the client still sends resets it, and the answer may be lost. So the
// answer is sent at once, and the connection ends when the client has stopped sending.
function endAfter(req: IncomingMessage, res: ClientReply, body: string): void {
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  req.once('end', end);
  req.once('close', end);
  discard(req);
}
