// Calls the server and passes its answer on, whichever side ends it.

import { gatewayError, type GatewayError } from '@tollgate/contracts';
import { newSpanId } from '@tollgate/kit/tracing';

import { ClientGone } from '../../intake';
import { startCall } from '../../upstream/call';
import { UpstreamFailure } from '../../upstream/failure';
import { upstreamRequestId } from '../../upstream/request';
import { openCallContent } from '../call-content';
import { isEndless, NO_BODY, type ConnectedExchange } from '../exchange';
import type { McpGateway } from '../gateway';
import { screeningKey } from '../screening/screening-key';
import { failureError, refusalOf, type Asked } from './answer-verdict';
import { givenUp, giveUpRequest, type Stops } from './giving-up';
import { passAnswer } from './pass-answer';
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
export async function relay(
  gateway: McpGateway,
  exchange: ConnectedExchange,
  stops: Stops,
): Promise<void> {
  const { keySha256, server } = exchange;
  const close = gateway.streams.open({
    keySha256,
    server,
    screening: screeningKey(exchange.target.screening),
    endless: isEndless(exchange),
    end: (error) => stops.stop(error),
  });
  const expiry = endWithToken(gateway, exchange, stops);
  const startedMs = gateway.nowMs();
  beginCall(gateway, exchange, startedMs);
  stops.noteUpstream = (): void => {
    exchange.ending.upstreamMs = Math.round(gateway.nowMs() - startedMs);
  };
  try {
    const called = await call(gateway, exchange, stops);
    try {
      await passAnswer(gateway, exchange, stops, called);
    } catch (error) {
      called.running.abort();
      throw error;
    }
    giveUpRequest(gateway, exchange);
  } finally {
    stops.noteUpstream();
    clearTimeout(expiry);
    close();
  }
}

function beginCall(gateway: McpGateway, exchange: ConnectedExchange, startMs: number): void {
  const { trace } = exchange;
  if (!trace) return;
  trace.call = { spanId: newSpanId(), startMs, content: openCallContent(gateway, exchange) };
}

/** The longest time that a timer can wait. */
const TIMER_MOST_MS = 2 ** 31 - 1;

/** A stream that nobody waits for goes on no longer than the token by which it was opened. */
function endWithToken(
  { wallMs }: McpGateway,
  exchange: ConnectedExchange,
  stops: Stops,
): NodeJS.Timeout | undefined {
  const { expiresMs } = exchange;
  if (expiresMs === undefined || !isEndless(exchange)) return undefined;
  const text = 'The access token has expired. Sign in again.';
  const end = (): void => stops.stop(gatewayError('invalid_api_key', text));
  return setTimeout(end, Math.min(Math.max(expiresMs - wallMs(), 0), TIMER_MOST_MS));
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
  releaseBody(exchange);
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

/** An answer may take hours, and neither the bytes nor what they were parsed to are needed for it. */
function releaseBody(exchange: ConnectedExchange): void {
  const { message } = exchange;
  exchange.body = NO_BODY;
  if (message?.kind === 'request') exchange.message = { ...message, params: {} };
  exchange.lease?.release();
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
  if (exchange.givenUp) throw givenUp(exchange);
  const running = startCall(buildUpstreamCall(exchange, place));
  stops.sent = running.sent;
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
    if (exchange.givenUp) throw givenUp(exchange);
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
