// How a refusal is written to a client: one of the gateway's own in the format of the route, one of the
// vendor's as it came, both with the headers that SDKs read. The formats own the bodies; nothing here spells one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_CODE_HEADER, type ErrorCode, type GatewayError } from '@tollgate/contracts';
import type { Format } from '../formats';
import { discard } from '../intake/discard';
import { requestIdHeaders } from '../reply/answer-headers';
import type { VendorRefusal } from '../upstream/vendor-refusal';
import { withLongWait } from './long-wait';

/** A body that is at most this long is read to its end, so that the connection can be kept. */
const DISCARDED_BYTES = 64 * 1024;
/** How long the rest of a larger one is thrown away before the connection is closed. */
const LINGER_MS = 2_000;

/** Answers with the error. Returns the status that was sent. */
export function sendError(
  req: IncomingMessage,
  res: ServerResponse,
  format: Pick<Format, 'encodeError'>,
  error: GatewayError,
  requestId: string,
): number {
  const encoded = format.encodeError(withLongWait(error), { requestId });
  const { headers, status } = encoded;
  send(req, res, { status, headers, body: JSON.stringify(encoded.body) }, requestId);
  return status;
}

/** Answers in the vendor's own words. Returns the status that was sent. */
export function sendVendorRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  refusal: VendorRefusal,
  { code, requestId }: { code: ErrorCode; requestId: string },
): number {
  const headers = { ...refusal.headers, [ERROR_CODE_HEADER]: code };
  send(req, res, { ...refusal, headers }, requestId);
  return refusal.status;
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
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

// Node reads what is left of a refused body before it takes the connection's next request.
function worthReading(req: IncomingMessage): boolean {
  if (req.complete) return true;
  if (req.headers['transfer-encoding'] !== undefined) return false;
  return Number(req.headers['content-length'] ?? 0) <= DISCARDED_BYTES;
}

// A connection closed under a client that still sends is reset, and the answer may be lost with it.
// So the answer goes out at once, and the connection ends when the client has stopped sending.
function endAfter(req: IncomingMessage, res: ServerResponse, body: string): void {
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
