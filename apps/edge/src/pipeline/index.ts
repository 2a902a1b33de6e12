// The path of one request. Each step is a file; this file is their order.

import { tryCandidates } from '../attempts/try-candidates';
import {
  claimBackgroundPlace,
  keepInBackground,
  registerBackgroundResponse,
  settlePending,
} from '../background/settle';
import { beginBodies, endBodies } from '../bodies';
import type { ClientReply } from '../client-reply';
import { namesDryRun } from '../dry-run';
import { openExchange, type ClientRequest, type Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { readKey } from '../intake/read-key';
import { replyKept } from '../reply/kept';
import { readCacheWish } from '../response-cache';
import type { Route } from '../routes';
import { beginContent, beginTrace, endTrace } from '../tracing';
import { authorize } from './authorize';
import { receive } from './decode';
import { serveDryRun } from './dry-run';
import { concernsCache, findKept } from './find-kept';
import { keepAnswer } from './keep-answer';
import { refuse } from './refuse';
import { reply } from './reply';
import { noteRequest } from './request-log';
import { giveBack } from './reroute';
import { screen, screenForModel } from './screen';
import { settle } from './settle';
import { planShadow } from './shadow';

export type { ClientRequest } from '../exchange/exchange';
export type { Gateway, GatewayLimits } from '../exchange/gateway';

/** Serves one request of a model route. Never rejects. */
export async function serve(
  gateway: Gateway,
  route: Route,
  req: ClientRequest,
  res: ClientReply,
): Promise<void> {
  if (namesDryRun(req.headers)) return serveDryRun(gateway, route, req, res);
  const exchange = openExchange(route, req, res, gateway.nowMs());
  beginTrace(gateway.tracing, exchange);
  try {
    const decoded = await receive(gateway, exchange, readKey(req, route.keys));
    const wish = readCacheWish(req.headers);
    const authorised = await authorize(gateway, decoded);
    beginContent(gateway, authorised);
    const judged = authorised.allow.screening;
    const chosenModel = judged.length > 0 ? await screen(gateway, authorised) : undefined;
    if (chosenModel !== undefined) {
      await giveBack(gateway, authorised, chosenModel);
      await authorize(gateway, authorised);
      await screenForModel(gateway, authorised, judged);
    }
    if (authorised.allow.keptBodies) beginBodies(gateway, authorised);
    const found = concernsCache(authorised, wish)
      ? await findKept(gateway, authorised, wish)
      : undefined;
    const shadow = found ? undefined : planShadow(gateway, authorised);
    authorised.received = undefined;
    if (found) return await replyKept(gateway, authorised, found);
    claimBackgroundPlace(gateway, authorised);
    const trying = tryCandidates(gateway, authorised);
    const answered = await (shadow ? trying.finally(shadow) : trying);
    const registering = registerBackgroundResponse(answered);
    if (registering) await registering;
    settlePending(gateway, answered);
    await reply(gateway, answered);
    if (answered.cache) keepAnswer(gateway, answered);
  } catch (error) {
    refuse(gateway, exchange, error);
  } finally {
    // What rules that observe have found belongs to the record.
    if (exchange.observing) await exchange.observing;
    if (!keepInBackground(gateway, exchange)) settle(gateway, exchange);
    if (exchange.allow?.keptBodies) endBodies(gateway, exchange, exchange.allow.keptBodies);
    noteRequest(gateway, exchange);
    endTrace(gateway, exchange);
    exchange.trace?.content?.close();
    exchange.lease?.release();
    exchange.answerLease?.release();
    exchange.keptLease?.release();
    exchange.backgroundPlace?.release();
    if (exchange.form) await free(gateway, exchange);
  }
}

async function free({ log }: Gateway, { form, requestId }: Exchange): Promise<void> {
  try {
    await form?.dispose();
  } catch (error) {
    log.error('could not delete an upload', { requestId, error });
  }
}
