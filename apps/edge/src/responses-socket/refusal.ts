// The answer to a connection that is not taken over: an HTTP response, counted and logged as one.

import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { gatewayError, GatewayError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { sendError } from '../errors';
import { FORMATS } from '../formats';
import type { Gateway } from '../pipeline';
import type { Route } from '../routes';

interface Refused {
  route: Route;
  req: IncomingMessage;
  socket: Duplex;
  startMs: number;
}

/** How long a refused client may take to read why. */
const LINGER_MS = 2_000;

/** Answers as HTTP, because the connection is not a WebSocket yet. */
export function refuse(
  gateway: Gateway,
  { route, req, socket, startMs }: Refused,
  error: unknown,
): void {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket as Socket);
  // Nobody reads what the client still sends, and the server does not know the connection any more.
  socket.resume();
  const gone = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(gone));
  res.on('finish', () => (socket as Socket).destroySoon());
  if (!(error instanceof GatewayError))
    gateway.log.error('request failed', { path: route.path, error });
  const told = error instanceof GatewayError ? error : gatewayError('internal_error');
  answerRefusal(gateway, { route, req, res, startMs }, told);
}

/** Answers, counts and logs that a connection is not taken over. */
export function answerRefusal(
  { log, metrics, nowMs }: Pick<Gateway, 'log' | 'metrics' | 'nowMs'>,
  { route, req, res, startMs }: Omit<Refused, 'socket'> & { res: ServerResponse },
  error: GatewayError,
): void {
  const requestId = uuidv7();
  const status = sendError(req, res, FORMATS[route.format], error, requestId);
  metrics.request(route.path, status, nowMs() - startMs);
  log.info('websocket refused', { requestId, route: route.path, status, errorCode: error.code });
}
