import { gatewayError } from '@tollgate/contracts';
import type { Attempt } from '@tollgate/contracts/node';

import type { Answer } from '../exchange/answer';
import { reportAnswer, reportFailure } from '../exchange/attempt-report';
import type { JsonObject } from '../formats';
import { applyBodyRules } from '../upstream/body-rules';
import { aborted, UpstreamFailure } from '../upstream/failure';
import type { Payload, WrittenPayload } from '../upstream/payload';
import { pause, type AttemptState } from './attempt-state';
import type { PlannedCall } from './plan';
import { retryPauseMs, triggersFallback } from './rules';
import { attemptCandidate } from './run-attempt';

/**
 * Calls one candidate as often as needed: with the provider's next key if one is refused, and again
 * if the routing policy asks for retries and the first call cannot have been billed.
 * @throws UpstreamFailure of the last call; GatewayError if no call could be made
 */
export async function tryCandidate(
  state: AttemptState,
  planned: PlannedCall,
  hedge: boolean,
): Promise<Answer> {
  const { exchange, gateway, rules } = state;
  const { candidate, adapter } = planned;
  const { upstreamModel: model } = candidate;
  const found = gateway.connections.get(candidate.providerId, candidate.connectionVersion);
  const connection = found instanceof Promise ? await found : found;
  const { keys } = connection;
  // A circuit breaker's probe is a single call.
  let retries = candidate.probe ? 0 : rules.retries;
  let tried: Set<number> | undefined;
  let renewed = false;
  let payload: WrittenPayload | undefined;

  for (;;) {
    // A body that is read from a file can be read only once; a text can be sent again.
    if (!payload || !isText(payload)) {
      const encoded = write(state, planned, adapter.encode());
      payload = encoded instanceof Promise ? await encoded : encoded;
    }
    if (state.stopped) throw aborted();
    const keyIndex = keys.draw(model, gateway.random(), tried, exchange.affinity) ?? 0;
    const attempt = recordOf(state, planned, hedge);
    const beganMs = gateway.nowMs();
    let failure: UpstreamFailure;
    try {
      const answer = await attemptCandidate(state, planned, {
        attempt,
        connection,
        keyIndex,
        payload,
      });
      reportAnswer(state, candidate, answer);
      return answer;
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      failure = error;
    }

    // A refusal by the provider, not by what issues credentials.
    const identity = failure.sent && !renewed ? connection.identities[keyIndex] : undefined;
    if (identity && !state.stopped && (await identity.refused(failure.status, beganMs))) {
      renewed = true;
      continue;
    }
    if (keys.refused(keyIndex, model, failure.status, failure.retryAfterMs)) {
      tried = (tried ?? new Set()).add(keyIndex);
      if (!state.stopped && keys.draw(model, 0, tried) !== undefined) continue;
    }
    const retryAfterMs = keys.freeInMs(model) ?? failure.retryAfterMs;
    reportFailure(state, candidate, attempt, failure, retryAfterMs);
    const pauseMs = retries > 0 ? pauseBefore(state, failure, rules.retries - retries) : undefined;
    if (pauseMs === undefined) throw failure;
    retries -= 1;
    tried = undefined;
    await pause(state, pauseMs);
  }
}

// Large documents are serialised off the event loop.
function write(
  { exchange, gateway }: AttemptState,
  { forwarded, providerRules }: PlannedCall,
  payload: Payload,
): WrittenPayload | Promise<WrittenPayload> {
  const { body } = payload;
  if (!isDocument(body)) return { ...payload, body };
  if (providerRules.body) applyBodyRules(body.document, providerRules.body, forwarded);
  if (!exchange.offLoop) return { ...payload, body: JSON.stringify(body.document) };
  return writeOffLoop(gateway, payload, body.document);
}

async function writeOffLoop(
  { json }: AttemptState['gateway'],
  payload: Payload,
  document: JsonObject,
): Promise<WrittenPayload> {
  try {
    return { ...payload, body: await json.write(document) };
  } catch (cause) {
    throw gatewayError('overloaded', undefined, { cause, retryAfterMs: RETRY_AFTER_MS });
  }
}

const RETRY_AFTER_MS = 1_000;

function isDocument(body: Payload['body']): body is { document: JsonObject } {
  return typeof body === 'object' && 'document' in body;
}

function isText({ body }: WrittenPayload): boolean {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

function recordOf({ gateway }: AttemptState, { candidate }: PlannedCall, hedge: boolean): Attempt {
  const attempt: Attempt = {
    modelId: candidate.modelId,
    providerId: candidate.providerId,
    connectionVersion: candidate.connectionVersion,
    startedAtMs: gateway.wallMs(),
    upstreamModel: candidate.upstreamModel,
    region: candidate.region,
  };
  if (hedge) attempt.hedge = true;
  return attempt;
}

function pauseBefore(
  { gateway, left, rules, startedMs, stopped }: AttemptState,
  failure: UpstreamFailure,
  retry: number,
): number | undefined {
  const pauseMs = retryPauseMs(failure, retry, gateway.random());
  if (pauseMs === undefined || stopped) return undefined;
  // If the upstream asks for a wait, another candidate answers sooner.
  if (failure.retryAfterMs !== undefined && left.length > 0 && triggersFallback(rules, failure))
    return undefined;
  const { totalTimeoutMs } = rules;
  const leftMs = startedMs + totalTimeoutMs - gateway.nowMs();
  return totalTimeoutMs > 0 && pauseMs >= leftMs ? undefined : pauseMs;
}
