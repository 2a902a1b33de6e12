import type { Operation } from '@tollgate/contracts';

import type { AnsweredExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';

/**
 * Keeps the answer for equal requests, if all of it went to the client and nothing is special about it. The request
 * does not wait for that.
 */
export function keepAnswer(gateway: Gateway, exchange: AnsweredExchange): void {
  const { allow, answer, cache, ending } = exchange;
  const { responseCache: setting } = allow;
  if (cache?.key === undefined || !gateway.responseCache || setting === null) return;
  if (!isWhole(exchange)) return gateway.metrics.cacheUnfit();
  const body = cache.recorder?.body();
  if (body === undefined) return gateway.metrics.cacheUnfit();
  const { connectionVersion, modelId, providerId, upstreamModel } = answer.candidate;
  const { report } = answer.kind === 'stream' ? answer.stream.tap : answer.answered;
  const contentType =
    answer.kind === 'stream' ? answer.stream.tap.contentType : answer.answered.contentType;
  const facts = {
    storedAtMs: gateway.wallMs(),
    candidate: { connectionVersion, modelId, providerId, upstreamModel },
    contentType,
    usage: ending.usage,
    units: ending.units,
    serviceTier: ending.serviceTier,
    model: report.model ?? '',
    dropped: [...answer.dropped],
    stopReason: ending.stopReason,
  };
  void gateway.responseCache.keep(cache.key, facts, body, setting.ttlSeconds);
}

/** Why answers end that are complete, in the words of all providers. Tools, limits and filters are not among them. */
const COMPLETE: ReadonlySet<string> = new Set([
  'STOP',
  'completed',
  'end_turn',
  'eos',
  'stop',
  'stop_sequence',
]);

const WITHOUT_STOP_REASON: ReadonlySet<Operation> = new Set(['embeddings']);

function isWhole({ allow, answer, clientGone, ending, route, screening }: AnsweredExchange) {
  const { errorCode, httpStatus, outcome, quality, stopReason } = ending;
  if (clientGone || outcome !== 'COMPLETED' || httpStatus !== 200 || errorCode !== '') return false;
  // A bound that a budget lowered shaped this answer.
  if (allow.clamped || quality !== 'EXACT' || answer.attempt?.outcome !== 'OK') return false;
  if ((screening?.evidence() ?? '') !== '') return false;
  // Headers that are needed to read the body are not kept.
  if (answer.kind === 'unary' && Object.keys(answer.answered.headers ?? {}).length > 0)
    return false;
  return WITHOUT_STOP_REASON.has(route.operation) || COMPLETE.has(stopReason);
}
