// Sends a request to the second model of its experiment, after the client's own has answered.

import { gatewayError, SHADOW_SUBJECT } from '@tollgate/contracts';

import { tryCandidates } from '../attempts/try-candidates';
import {
  openExchange,
  type AuthorisedExchange,
  type Exchange,
  type ShadowOf,
} from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { JsonBody } from '../intake';
import { readKey } from '../intake/read-key';
import { replyStream } from '../reply/stream';
import { replyUnary } from '../reply/unary';
import { SHADOW_BODY_BYTES, type ShadowPlace, type ShadowSkip } from '../shadows';
import { authorize } from './authorize';
import { receive } from './decode';
import { refuse } from './refuse';
import { screen } from './screen';
import { settle } from './settle';
import { shadowRequest } from './shadow-request';

/** Sends the shadow of a request; only the first call has an effect. */
export interface PlannedShadow {
  readonly send: () => void;
}

/**
 * What is left to do for the shadow of a request, with its body as screening has left it. Undefined: policy has asked for
 * none. Nothing runs before `send`.
 */
export function planShadow(
  gateway: Gateway,
  exchange: AuthorisedExchange,
): PlannedShadow | undefined {
  const { shadow } = exchange.allow;
  if (shadow === null) return undefined;
  if (shadow.leftOut !== '') {
    gateway.metrics.shadowSkipped('left_out');
    return undefined;
  }
  const body = bodyToRepeat(exchange);
  if (typeof body === 'string') {
    gateway.metrics.shadowSkipped(body);
    return undefined;
  }
  const of: ShadowOf = {
    experimentId: shadow.experimentId,
    requestId: exchange.requestId,
    apiKeyId: exchange.allow.subject?.apiKeyId ?? '',
  };
  let sent = false;
  const send = (): void => {
    // A client that left before its upstream answered had no answer to compare with.
    if (sent || exchange.clientGone || exchange.attempts.length === 0) return;
    sent = true;
    // What the client gets in this turn goes first.
    setImmediate(() => begin(gateway, exchange, of, body));
  };
  return { send };
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
  const { metrics, policy, shadows } = gateway;
  const bytes = declaredBytes(client.req.headers) || Buffer.byteLength(JSON.stringify(body.json));
  if (bytes > SHADOW_BODY_BYTES) return metrics.shadowSkipped('too_large');
  const place = shadows.claim(bytes);
  if (place === undefined) {
    metrics.shadowSkipped('busy');
    const { keySha256 } = client;
    const { experimentId: shadowExperimentId, requestId } = of;
    return policy.refused({ keySha256, requestId, code: 'overloaded', shadowExperimentId });
  }
  shadows.run(place, () => serveShadow(gateway, client, of, { body, place }));
}

/** As `serve`, for nobody: no cache, no trace, no other model, and no count among the requests of clients. */
async function serveShadow(
  shared: Gateway,
  client: AuthorisedExchange,
  of: ShadowOf,
  { body, place }: { body: JsonBody; place: ShadowPlace },
): Promise<void> {
  const gateway: Gateway = { ...shared, answers: shared.shadows.answers };
  const req = shadowRequest(client.req, body, place.lease);
  const exchange = openExchange(client.route, req, place.reply, gateway.nowMs());
  exchange.shadow = of;
  try {
    const decoded = await receive(gateway, exchange, readKey(req, client.route.keys));
    decoded.claimed = undefined;
    const authorised = await authorize(gateway, decoded);
    assertOwnBudget(authorised, of);
    if (authorised.allow.screening.length > 0) {
      const chosenModel = await screen(gateway, authorised);
      if (chosenModel !== undefined) throw gatewayError('plugin_blocked');
    }
    authorised.received = undefined;
    const answered = await tryCandidates(gateway, authorised);
    const { answer } = answered;
    await (answer.kind === 'stream'
      ? replyStream(gateway, answered, answer)
      : replyUnary(gateway, answered, answer));
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
