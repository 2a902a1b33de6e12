// One WebSocket of one API key: its messages, and everything that ends it.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { gatewayError, GatewayError } from '@tollgate/contracts';
import type { WebSocket } from 'ws';

import type { ByteLease } from '../intake';
import type { Gateway } from '../pipeline';
import type { Route } from '../routes';
import { createTurnAnswerer } from './answer-turn';
import { errorFrame } from './error-frame';
import type { SendFrame } from './frame-reply';
import { countMessageBytes } from './message-bytes';
import { createPreviousResponse } from './previous-response';
import type { Message } from './received-turn';
import { createTurnQueue } from './turn-queue';
import { CLOSE, close, watchAge, watchClient, type Ages } from './watch';

export type ConnectionLimits = Ages & { pingMs: number };

export interface ConnectionOptions {
  gateway: Gateway;
  limits: ConnectionLimits;
  route: Route;
  req: IncomingMessage;
  socket: Duplex;
  ws: WebSocket;
  keySha256: Buffer;
}

export interface Connection {
  /** Closes the connection after the response that runs. */
  drain: () => void;
  cut: () => void;
}

export function openConnection(options: ConnectionOptions): Connection {
  const { gateway, limits, route, socket, ws } = options;
  const connected = (): boolean => ws.readyState === ws.OPEN;
  let draining = false;

  const say = (text: string): void => ws.send(text, () => undefined);
  const openLease = (): ByteLease => leaseOf(options);
  const arriving = countMessageBytes(socket, {
    limitBytes: gateway.limits.bodyBytes,
    open: openLease,
    onExcess: (error) => endOfExcess(ws, error),
  });
  const pings = watchClient(ws, limits.pingMs, (bytes) => arriving.control(bytes));
  const previous = createPreviousResponse(openLease);
  const send: SendFrame = (text, sent) => {
    ws.send(text, (error) => {
      pings.seen();
      sent(error);
    });
  };
  const turns = createTurnAnswerer({ ...options, previous, send, connected });

  const answer = async (message: Message): Promise<void> => {
    if (!connected() || draining) return;
    try {
      const status = await turns.answer(message);
      if (status === 401) close(ws, CLOSE.policyViolation, 'the API key is not valid');
    } catch (error) {
      gateway.log.error('request failed', { path: route.path, error });
      turns.abort();
      say(errorFrame(gatewayError('internal_error')));
    }
  };
  const ages = watchAge(ws, limits);
  const queue = createTurnQueue({
    answer,
    onBusy: ages.busy,
    onIdle: () => {
      if (draining && connected()) close(ws, CLOSE.serviceRestart, 'the gateway restarts');
      else ages.idle();
    },
  });

  ws.on('message', (bytes: Buffer, binary) => {
    pings.seen();
    if (!connected() || draining) return;
    try {
      queue.checkRoom();
      queue.push({ bytes, binary, lease: arriving.complete(bytes.length) });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      arriving.skip();
      say(errorFrame(error));
    }
  });
  // A frame that breaks the protocol: the library closes the connection with the code for it.
  ws.on('error', (error) => gateway.log.info('websocket broken', { path: route.path, error }));
  ws.on('close', () => {
    ages.stop();
    pings.stop();
    turns.abort();
    queue.clear();
    arriving.release();
    previous.release();
  });

  return {
    drain: () => {
      draining = true;
      if (!queue.working()) close(ws, CLOSE.serviceRestart, 'the gateway restarts');
    },
    cut: () => ws.terminate(),
  };
}

/** The bytes of a connection count for its key. */
function leaseOf({ gateway, keySha256 }: ConnectionOptions): ByteLease {
  const lease = gateway.bodies.open();
  lease.confirm(keySha256.toString('latin1'));
  return lease;
}

function endOfExcess(ws: WebSocket, error: GatewayError): void {
  ws.send(errorFrame(error), () => undefined);
  const tooBig = error.code === 'invalid_request';
  close(ws, tooBig ? CLOSE.tooBig : CLOSE.tryAgainLater, error.code);
}
