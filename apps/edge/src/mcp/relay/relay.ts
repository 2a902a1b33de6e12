// Calls the server and passes its answer on, whichever side ends it.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import { ClientGone } from '../../intake';
import { startCall } from '../../upstream/call';
import { UpstreamFailure } from '../../upstream/failure';
import { upstreamRequestId } from '../../upstream/request';
import { isEndless, NO_BODY, type ConnectedExchange } from '../exchange';
import type { McpGateway } from '../gateway';
import { failureError, refusalOf, type Asked } from './answer-verdict';
import { passAnswer, type Stops } from './pass-answer';
import { runnerRefusalOf } from './runner-refusal';
import {
  buildUpstreamCall,
  callWithCredentials,
  type Called,
  type CallTarget,
} from './upstream-call';

/**
 * Resolves when the client has its answer or has left. The result is in `exchange.ending`.
 * @throws GatewayError when nothing has been sent to the client yet; ClientGone
 */
export async function relay(gateway: McpGateway, exchange: ConnectedExchange): Promise<void> {
  const { keySha256, server } = exchange;
  const stops: Stops = { stop: () => undefined };
  const close = gateway.streams.open({
    keySha256,
    server,
    endless: isEndless(exchange),
    end: (error) => stops.stop(error),
  });
  const startedMs = gateway.nowMs();
  try {
    const called = await call(gateway, exchange, stops);
    try {
      await passAnswer(gateway, exchange, stops, called);
    } catch (error) {
      called.running.abort();
      throw error;
    }
  } finally {
    exchange.ending.upstreamMs = Math.round(gateway.nowMs() - startedMs);
    close();
  }
}

async function call(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  stops: Stops,
): Promise<Called> {
  const called = await callWithCredentials(gateway, exchange, (place) =>
    callOnce(exchange, place, stops),
  );
  const { headers, status } = called.answer;
  exchange.ending.upstreamRequestId = upstreamRequestId(headers);
  // An answer may take hours.
  exchange.body = NO_BODY;
  exchange.lease?.release();
  const byRunner = exchange.upstream.transport !== 'STREAMABLE_HTTP';
  const refusal =
    (byRunner ? await runnerRefusalOf(called.answer) : undefined) ??
    refusalOf(status, headers, askedOf(exchange));
  if (!refusal) return called;
  called.running.abort();
  // A runner without a place for the request has not given it to the server.
  if (byRunner && !refusal.code.startsWith('upstream_')) exchange.used = false;
  throw refusal;
}

function askedOf({ message, req }: ConnectedExchange): Asked {
  if (req.method === 'GET') return 'stream';
  return message?.kind === 'request' ? 'request' : 'message';
}

async function callOnce(
  exchange: ConnectedExchange,
  place: CallTarget,
  stops: Stops,
): Promise<Called> {
  if (exchange.clientGone) throw new ClientGone('the client closed its connection');
  const running = startCall(buildUpstreamCall(exchange, place));
  let stopped: GatewayError | undefined;
  stops.stop = (error = edgeStops()) => {
    stopped = error;
    running.abort();
  };
  exchange.onClientGone = () => running.abort();
  try {
    const answer = await running.answer;
    exchange.used = true;
    return { running, answer };
  } catch (error) {
    exchange.used ||= running.sent();
    if (exchange.clientGone) throw new ClientGone('the client closed its connection');
    if (stopped) throw stopped;
    if (!(error instanceof UpstreamFailure)) throw error;
    exchange.used &&= error.sent;
    throw failureError(error);
  }
}

function edgeStops(): GatewayError {
  const text = 'This gateway is about to stop. Send the request again.';
  return gatewayError('overloaded', text, { retryAfterMs: 1_000 });
}
