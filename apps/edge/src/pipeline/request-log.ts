import { formatUsd, tokensIn, tokensOut } from '@tollgate/contracts';

import type { Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { refusedOf } from '../refusals/refused-exchange';

/**
 * Writes the log line and the metrics of a finished request, and counts a refusal. The logger
 * writes in batches.
 */
export function noteRequest(gateway: Gateway, exchange: Exchange): void {
  const { allow, attempts, ending, job, route } = exchange;
  const { log, metrics } = gateway;
  const ms = gateway.nowMs() - exchange.startedMs;
  metrics.request(route.path, ending.httpStatus, ms);
  const provider = ending.candidate?.providerLabel ?? allow?.candidates[0]?.providerLabel ?? '';
  for (const attempt of attempts) {
    const called = allow?.candidates.find(({ modelId }) => modelId === attempt.modelId);
    const label = called?.providerLabel ?? provider;
    metrics.upstream(label, attempt.outcome ?? '', Number(attempt.latencyMs ?? 0));
  }
  const streamed = job?.stream && ending.firstTokenMs > 0;
  if (streamed) metrics.firstToken(provider, ending.firstTokenMs);
  if (exchange.trace) {
    metrics.traced({
      traceId: exchange.trace.traceId,
      route: route.path,
      status: ending.httpStatus,
      ms,
      firstToken: streamed ? { provider, ms: ending.firstTokenMs } : undefined,
    });
  }
  metrics.used(provider, ending.usage, ending.costNanoUsd);
  noteTenant(gateway, exchange, provider);
  if (exchange.screening) metrics.screened(exchange.screening.verdicts());
  const model = exchange.chosenModel ?? job?.model ?? '';
  const refused = refusedOf(exchange, { model, attempts }, gateway.wallMs());
  if (refused !== undefined) gateway.refusals.note(refused);
  if (!log.enabled('info')) return;
  log.info('request', {
    requestId: exchange.requestId,
    clientRequestId: exchange.clientRequestId || undefined,
    traceId: exchange.traceId || undefined,
    route: route.path,
    status: ending.httpStatus,
    outcome: ending.outcome,
    errorCode: ending.errorCode || undefined,
    organisationId: allow?.subject?.organisationId,
    apiKeyId: allow?.subject?.apiKeyId,
    model: exchange.chosenModel ?? job?.model,
    provider: provider || undefined,
    stream: job?.stream,
    inputTokens: tokensIn(ending.usage),
    outputTokens: tokensOut(ending.usage),
    costUsd: formatUsd(ending.costNanoUsd),
    usageQuality: ending.quality,
    attempts: attempts.length,
    latencyMs: Math.round(ms),
    firstTokenMs: ending.firstTokenMs || undefined,
    screening: exchange.screening?.evidence() || undefined,
  });
}

function noteTenant({ metrics }: Gateway, exchange: Exchange, provider: string): void {
  const { allow, denial, ending } = exchange;
  const subject = allow?.subject ?? denial?.subject;
  metrics.tenant({
    organisationId: subject?.organisationId ?? '',
    teamId: subject?.teamId ?? '',
    // Never the name that the client wrote: it could be anything.
    model: (ending.candidate ?? allow?.candidates[0])?.modelName ?? '',
    provider,
    result: resultOf(exchange),
    usage: ending.usage,
    costNanoUsd: ending.costNanoUsd,
  });
}

function resultOf({ attempts, ending }: Exchange) {
  const { httpStatus, outcome } = ending;
  if (outcome === 'COMPLETED') return 'completed';
  if (outcome === 'CLIENT_CLOSED') return 'closed';
  return attempts.length === 0 && httpStatus < 500 ? 'refused' : 'failed';
}
