// One WebSocket of one API key: its messages, and everything that ends it.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { gatewayError, GatewayError } from '@tollgate/contracts';
import type { WebSocket } from 'ws';

import type { ByteBudget, ByteLease } from '../intake';
import type { Gateway } from '../pipeline';
import type { Route } from '../routes';
import { createTurnAnswerer } from './answer-turn';
import { errorFrame } from './error-frame';
import type { SendFrame } from './frame-reply';
import { countMessageBytes } from './message-bytes';
import { createPreviousResponse } from './previous-response';
import { isProcessed, type Message } from './received-turn';
import { createTurnQueue } from './turn-queue';
import { CLOSE, watchAge, watchClient, type Ages } from './watch';

export type ConnectionLimits = Ages & { pingMs: number };

export interface ConnectionOptions {
  gateway: Gateway;
  limits: ConnectionLimits;
  /** Memory for the last responses of all connections. It is not that of bodies, which must not wait for idle connections. */
  remembered: ByteBudget;
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
  const { gateway, keySha256, limits, route, socket, ws } = options;
  let draining = false;
  const connected = (): boolean => ws.readyState === ws.OPEN;
  const restart = (): void => ws.close(CLOSE.serviceRestart, 'the gateway restarts');
  const say = (text: string): void => ws.send(text, () => undefined);
  const openLease = (): ByteLease => leaseOf(gateway.bodies, keySha256);
  const arriving = countMessageBytes(socket, {
    limitBytes: gateway.limits.bodyBytes,
    open: openLease,
    onExcess: (error) => endOfExcess(ws, error),
    onLate: () => ws.close(CLOSE.policyViolation, 'the message did not arrive in time'),
  });
  const pings = watchClient(ws, limits.pingMs, (bytes) => arriving.control(bytes));
  const previous = createPreviousResponse(() => leaseOf(options.remembered, keySha256));
  const send: SendFrame = (text, sent) =>
    ws.send(text, (error) => {
      pings.seen();
      sent(error);
    });
  const turns = createTurnAnswerer({ ...options, previous, send, connected });

  const answer = async (message: Message): Promise<void> => {
    if (!connected() || draining) return;
    try {
      const status = await turns.answer(message);
      if (status === 401) ws.close(CLOSE.policyViolation, 'the API key is not valid');
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
      if (draining && connected()) restart();
      else ages.idle();
    },
  });

  ws.on('message', (bytes: Buffer, binary) => {
    pings.seen();
    if (!connected() || draining) return;
    if (!binary && isProcessed(bytes)) return arriving.skip();
    try {
      queue.checkRoom();
      queue.push({ bytes, binary, lease: arriving.complete(bytes.length) });
    } catch (error) {
      arriving.skip();
      say(refusalFrame(error));
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
      if (!queue.working()) restart();
    },
    cut: () => ws.terminate(),
  };
}

/** @throws what is not a refusal */
function refusalFrame(error: unknown): string {
  if (error instanceof GatewayError) return errorFrame(error);
  throw error;
}

/** The bytes of a connection count for its key. */
function leaseOf(budget: ByteBudget, keySha256: Buffer): ByteLease {
  const lease = budget.open();
  lease.confirm(keySha256.toString('latin1'));
  return lease;
}

function endOfExcess(ws: WebSocket, error: GatewayError): void {
  ws.send(errorFrame(error), () => undefined);
  const tooBig = error.code === 'invalid_request';
  ws.close(tooBig ? CLOSE.tooBig : CLOSE.tryAgainLater, error.code);
}
