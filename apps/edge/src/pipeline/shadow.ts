// Sends a request to the second model of its experiment, after the client's own has answered.

import { gatewayError, SHADOW_SUBJECT } from '@tollgate/contracts';

import { tryCandidates } from '../attempts/try-candidates';
import {
  openExchange,
  type AuthorisedExchange,
  type ClientRequest,
  type Exchange,
  type ShadowOf,
} from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { JsonBody } from '../intake';
import { readKey } from '../intake/read-key';
import { SHADOW_BODY_BYTES, type ShadowPlace, type ShadowSkip } from '../shadows';
import { authorize } from './authorize';
import { receive } from './decode';
import { refuse } from './refuse';
import { reply } from './reply';
import { screen } from './screen';
import { settle } from './settle';
import { shadowRequest } from './shadow-request';

/**
 * What is left to do for the shadow of a request, with its body as screening has left it. Undefined: policy has asked for
 * none. Nothing runs before the returned function is called, once.
 */
export function planShadow(
  gateway: Gateway,
  exchange: AuthorisedExchange,
): (() => void) | undefined {
  const { shadow } = exchange.allow;
  if (shadow === null) return undefined;
  const of: ShadowOf = {
    experimentId: shadow.experimentId,
    requestId: exchange.requestId,
    apiKeyId: exchange.allow.subject?.apiKeyId ?? '',
  };
  const { keySha256 } = exchange;
  if (shadow.leftOut !== '') {
    skip(gateway, { keySha256, of }, 'left_out', shadow.leftOutCode);
    return undefined;
  }
  const body = bodyToRepeat(exchange);
  if (typeof body === 'string') {
    gateway.metrics.shadowSkipped(body);
    return undefined;
  }
  return () => {
    // A client that left before its upstream answered had no answer to compare with.
    if (exchange.clientGone || exchange.attempts.length === 0) return;
    // What the client gets in this turn goes first.
    setImmediate(() => begin(gateway, exchange, of, body));
  };
}

/** A conversation whose second call has no effect but its answer; else the reason why it is not repeated. */
function bodyToRepeat({
  chosenModel,
  job,
  offLoop,
  received,
  req,
  route,
}: AuthorisedExchange): JsonBody | ShadowSkip {
  if (!received || !('json' in received) || !job.request) return 'no_conversation';
  const { json } = received;
  if (job.background || job.storedId || job.conversationId || job.previousResponseId) {
    return 'stored';
  }
  // A provider stores a response unless it is told not to.
  if (json['store'] === true) return 'stored';
  if (route.operation === 'responses' && json['store'] !== false) return 'stored';
  if (job.serverTools && job.serverTools.length > 0) return 'server_tools';
  if (chosenModel !== undefined) return 'other_model';
  const tooLarge = offLoop || declaredBytes(req.headers) > SHADOW_BODY_BYTES;
  return tooLarge ? 'too_large' : { json, bytes: received.bytes, offLoop };
}

/** 0: the length is unknown. */
function declaredBytes(headers: Exchange['req']['headers']): number {
  if (headers['content-encoding'] !== undefined) return 0;
  return Number(headers['content-length'] ?? 0) || 0;
}

function begin(gateway: Gateway, client: AuthorisedExchange, of: ShadowOf, body: JsonBody): void {
  const { metrics, shadows } = gateway;
  const bytes = declaredBytes(client.req.headers) || Buffer.byteLength(JSON.stringify(body.json));
  if (bytes > SHADOW_BODY_BYTES) return metrics.shadowSkipped('too_large');
  const place = shadows.claim(bytes);
  const { keySha256, route } = client;
  if (place === undefined) return skip(gateway, { keySha256, of }, 'busy', 'overloaded');
  // Nothing else of the client's exchange is kept while the shadow runs.
  const req = shadowRequest(client.req, body, place.lease);
  shadows.run(place, () => serveShadow(gateway, route, req, { of, res: place.reply }));
}

/** Counts a shadow that is not sent, and reports it for the comparison if it has an error code. */
function skip(
  { metrics, policy }: Pick<Gateway, 'metrics' | 'policy'>,
  { keySha256, of }: { readonly keySha256: Buffer; readonly of: ShadowOf },
  reason: ShadowSkip,
  code: string,
): void {
  metrics.shadowSkipped(reason);
  const { experimentId: shadowExperimentId, requestId } = of;
  if (code !== '') policy.refused({ keySha256, requestId, code, shadowExperimentId });
}

/**
 * Like `serve`, with the answer discarded: no response cache, trace or fallback, and not in the metrics of clients'
 * requests.
 */
async function serveShadow(
  shared: Gateway,
  route: Exchange['route'],
  req: ClientRequest,
  { of, res }: { readonly of: ShadowOf; readonly res: ShadowPlace['reply'] },
): Promise<void> {
  const gateway: Gateway = { ...shared, answers: shared.shadows.answers };
  const exchange = openExchange(route, req, res, gateway.nowMs());
  exchange.shadow = of;
  try {
    const decoded = await receive(gateway, exchange, readKey(req, route.keys));
    decoded.claimed = undefined;
    const authorised = await authorize(gateway, decoded);
    assertOwnBudget(authorised, of);
    if (authorised.allow.screening.length > 0) {
      const chosenModel = await screen(gateway, authorised);
      if (chosenModel !== undefined) throw gatewayError('plugin_blocked');
    }
    authorised.received = undefined;
    const answered = await tryCandidates(gateway, authorised);
    await reply(gateway, answered);
  } catch (error) {
    refuse(gateway, exchange, error);
  } finally {
    if (exchange.observing) await exchange.observing;
    settle(gateway, exchange);
    noteShadow(gateway, exchange);
    exchange.answerLease?.release();
  }
}

/** A policy that does not know shadows would hold the client's budget. */
function assertOwnBudget({ allow }: AuthorisedExchange, { experimentId }: ShadowOf): void {
  const { subject } = allow;
  if (subject?.apiKeyType === SHADOW_SUBJECT && subject.apiKeyId === experimentId) return;
  throw gatewayError('internal_error', 'policy holds no budget of a shadow');
}

function noteShadow({ log, metrics, nowMs }: Gateway, exchange: Exchange): void {
  const { allow, attempts, ending, requestId, shadow } = exchange;
  const provider = allow?.candidates[0]?.providerLabel ?? '';
  for (const { latencyMs, outcome } of attempts) {
    metrics.upstream(provider, outcome ?? '', Number(latencyMs ?? 0));
  }
  metrics.used(provider, ending.usage, ending.costNanoUsd);
  metrics.shadowEnded(resultOf(exchange));
  log.info('shadow', {
    requestId,
    shadowOf: shadow?.requestId,
    experimentId: shadow?.experimentId,
    route: exchange.route.path,
    outcome: ending.outcome,
    errorCode: ending.errorCode || undefined,
    provider: provider || undefined,
    latencyMs: Math.round(nowMs() - exchange.startedMs),
  });
}

function resultOf({ denial, ending, used }: Exchange): string {
  if (denial) return 'denied';
  if (ending.outcome === 'COMPLETED') return 'completed';
  if (ending.outcome === 'CLIENT_CLOSED') return 'stopped';
  return used ? 'failed' : 'not_sent';
}
