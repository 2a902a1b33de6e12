// The way of one request. Each step is a file; this one is their order.

import type { ServerResponse } from 'node:http';
import { noteRequest } from '../ops/request-log';
import { replyStream } from '../reply/stream';
import { replyUnary } from '../reply/unary';
import type { Route } from '../routes';
import type { Answer } from './attempt';
import { authorize } from './authorize';
import { checkRoom, keepGoing, register, settlePending } from './background';
import { call } from './call';
import { receive } from './decode';
import { openExchange, type ClientRequest, type Exchange } from './exchange';
import type { Gateway } from './gateway';
import { readKey } from './key';
import { refuse } from './refuse';
import { settle } from './settle';

export type { ClientRequest } from './exchange';
export type { Gateway, GatewayLimits } from './gateway';

/** Serves one request of a model route. Never rejects. */
export async function serve(
  gateway: Gateway,
  route: Route,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  const exchange = openExchange(route, req, res, gateway.nowMs());
  let answer: Answer | undefined;
  try {
    const keySha256 = (exchange.keySha256 = readKey(req, route.keys));
    const job = (exchange.job = await receive(gateway, exchange));
    const allow = await authorize(gateway, exchange, job, keySha256);
    checkRoom(gateway, exchange);
    answer = await call(gateway, exchange, job, allow);
    await register(exchange, answer);
    settlePending(gateway, exchange, answer);
    if (answer.kind === 'stream') await replyStream(gateway, exchange, answer);
    else {
      const counting = replyUnary(gateway, exchange, answer);
      if (counting) await counting;
    }
  } catch (error) {
    refuse(gateway, exchange, error);
  } finally {
    if (!keepGoing(gateway, exchange, answer)) settle(gateway, exchange);
    noteRequest(gateway, exchange);
    exchange.lease?.release();
    exchange.answerLease?.release();
    if (exchange.form) await free(gateway, exchange);
  }
}

async function free({ log }: Gateway, { form, requestId }: Exchange): Promise<void> {
  try {
    await form?.dispose();
  } catch (error) {
    log.error('an upload could not be freed', { requestId, error });
  }
}
