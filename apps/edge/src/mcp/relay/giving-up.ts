// Requests that their client gives up by a notification, which is another HTTP request.

import type { GatewayError } from '@tollgate/contracts';

import { ClientGone } from '../../intake';
import type { ConnectedExchange } from '../exchange';
import type { McpGateway } from '../gateway';
import { settle } from '../settle';
import type { RequestOwner } from '../streams/running-requests';
import { answerHead } from './answer-head';
import { noteAbandoned } from './endings';

/** What ends a running request from outside; replaced as the request proceeds. */
export interface Stops {
  /** Undefined: without an error, because the edge stops. */
  stop: (error: GatewayError | undefined) => void;
  /** Whether any of the request was sent to the server. */
  sent: () => boolean;
  /** Notes until when the server was busy. */
  noteUpstream: () => void;
  /** The request can no longer be given up. */
  close: () => void;
}

/**
 * From now on the client may give the request up. One that was sent goes on, should an answer come; any
 * other is never sent, and is settled at its own end.
 */
export function awaitGivingUp(gateway: McpGateway, exchange: ConnectedExchange): Stops {
  const stops: Stops = {
    stop: () => undefined,
    sent: () => false,
    noteUpstream: () => undefined,
    close: () => undefined,
  };
  const { modern, rpcId } = exchange;
  // In the modern era a client closes the stream.
  if (modern || rpcId === undefined) return stops;
  stops.close = gateway.running.add(ownerOf(exchange), rpcId, () => {
    if (!stops.sent()) {
      exchange.givenUp = true;
      endWithoutResponse(gateway, exchange);
      return stops.stop(undefined);
    }
    exchange.used = true;
    stops.noteUpstream();
    noteAbandoned(exchange);
    settle(gateway, exchange);
  });
  return stops;
}

/** A request that was given up gets no response: its stream ends empty. */
function endWithoutResponse(gateway: McpGateway, exchange: ConnectedExchange): void {
  const headers = { 'content-type': 'text/event-stream' };
  exchange.ending.httpStatus = 200;
  exchange.res.writeHead(200, answerHead(gateway, exchange, headers, { stream: true })).end();
}

/** Gives up what the client's notification names. */
export function giveUpRequest({ running }: McpGateway, exchange: ConnectedExchange): void {
  const { message } = exchange;
  if (message?.kind !== 'notification' || message.method !== 'notifications/cancelled') return;
  running.giveUp(ownerOf(exchange), message.params['requestId']);
}

/** The server has nothing of it, even if an earlier call was refused for its credentials. */
export function givenUp(exchange: ConnectedExchange): ClientGone {
  exchange.used = false;
  return new ClientGone('the client cancelled its request');
}

function ownerOf({ principal, server, session }: ConnectedExchange): RequestOwner {
  return { principal, server, sessionId: session?.upstreamId ?? '' };
}
