import type { SettleRequest } from '@tollgate/contracts/node';
import { totalOf, type Exchange } from './exchange';
import type { Gateway } from './gateway';

/** Ends the hold, if one was taken. Called exactly once for each request, however it went. */
export function settle(gateway: Gateway, exchange: Exchange): void {
  const { ending, hold } = exchange;
  if (exchange.beside) Object.assign(ending, totalOf(exchange));
  if (!hold) return;
  const message = exchange.used ? settled(gateway, exchange) : cancelled(exchange);
  gateway.policy.settle(hold, message);
}

// Nothing was sent to an upstream, so nothing can have been billed.
function cancelled({ requestId, ending }: Exchange): SettleRequest {
  return { requestId, cancelled: true, outcome: ending.outcome, errorCode: ending.errorCode };
}

function settled(gateway: Gateway, exchange: Exchange): SettleRequest {
  const { allow, attempts, ending, job, requestId } = exchange;
  // Where none answered, the first candidate is the one that was asked for.
  const candidate = ending.candidate ?? allow?.candidates[0];
  let upstreamMs = 0;
  for (const attempt of attempts) upstreamMs += Number(attempt.latencyMs ?? 0);
  return {
    requestId,
    cancelled: false,
    outcome: ending.outcome,
    usage: ending.usage,
    units: ending.units,
    usageQuality: ending.quality,
    costNanoUsd: ending.costNanoUsd.toString(),
    modelId: candidate?.modelId ?? '',
    providerId: candidate?.providerId ?? '',
    priceId: candidate?.price?.priceId ?? '',
    httpStatus: ending.httpStatus,
    errorCode: ending.errorCode,
    latencyMs: Math.round(gateway.nowMs() - exchange.startedMs),
    firstTokenMs: ending.firstTokenMs,
    upstreamMs,
    stopReason: ending.stopReason,
    stream: job?.stream ?? false,
    upstreamRequestId: ending.upstreamRequestId,
    responseId: ending.responseId,
    attempts,
  };
}
