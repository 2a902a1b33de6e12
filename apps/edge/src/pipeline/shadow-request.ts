import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import type { ClientRequest } from '../exchange/exchange';
import type { ByteLease, JsonBody } from '../intake';

/**
 * Headers that are of the client's request alone. A provider answers a repeated idempotency key with the answer to the
 * client; the other headers name the client's trace and its options for this gateway.
 */
const OF_CLIENT =
  /^(?:connection|content-length|content-encoding|transfer-encoding|expect|idempotency-key|traceparent|tracestate|x-request-id|x-tollgate-.*)$/;

/** The request of a client, once more. */
export function shadowRequest(
  { headers, method, params, url }: ClientRequest,
  body: JsonBody,
  lease: ByteLease,
): ClientRequest {
  const req = new IncomingMessage(new Socket());
  req.method = method;
  req.url = url;
  req.headers = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CLIENT.test(name)),
  );
  req.complete = true;
  return Object.assign(req, { params, message: { lease, body: () => body } });
}
