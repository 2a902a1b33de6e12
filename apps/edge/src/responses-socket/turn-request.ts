import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import type { ClientRequest, ReceivedMessage } from '../exchange/exchange';

/** Headers of the connection, which no single request has. */
const OF_CONNECTION = /^(?:connection|content-.*|sec-websocket-.*|transfer-encoding|upgrade)$/;
/** The vendor's name of this protocol, which says nothing about a request over HTTP. */
const PROTOCOL = /^responses_websockets=/;

/** Makes of each message of a connection the HTTP request that it stands for. */
export function turnRequests(connection: IncomingMessage) {
  const headers = headersOf(connection.headers);
  return (message: ReceivedMessage, traceparent: string | undefined): ClientRequest => {
    const req = new IncomingMessage(new Socket());
    req.method = connection.method;
    req.url = connection.url;
    req.headers = traceparent === undefined ? { ...headers } : { ...headers, traceparent };
    req.complete = true;
    return Object.assign(req, { params: {}, message });
  };
}

/** With the headers of the connection, but for those of the upgrade. */
function headersOf(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const kept = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)),
  );
  const beta = kept['openai-beta'];
  if (typeof beta !== 'string') return kept;
  const others = beta.split(',').filter((value) => !PROTOCOL.test(value.trim()));
  if (others.length > 0) kept['openai-beta'] = others.join(',');
  else delete kept['openai-beta'];
  return kept;
}
