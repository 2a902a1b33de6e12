import { formatUsd, PASSTHROUGH_PATH } from '@tollgate/contracts';
import type { Attempt } from '@tollgate/contracts/node';

import { refusedOf } from '../refusals/refused-exchange';
import type { PassthroughExchange, PassthroughGateway } from './exchange';
import { costOf } from './settle';

/** Writes the log line and the metrics of a finished request. */
export function noteRequest(gateway: PassthroughGateway, exchange: PassthroughExchange): void {
  const { allow, ending, requestBytes, trace, used } = exchange;
  const { log, metrics } = gateway;
  const target = allow?.passthrough ?? undefined;
  const ms = gateway.nowMs() - exchange.startedMs;
  metrics.request(PASSTHROUGH_PATH, ending.httpStatus, ms);
  if (trace) {
    const { traceId } = trace;
    metrics.traced({ traceId, route: PASSTHROUGH_PATH, status: ending.httpStatus, ms });
  }
  // Only of requests that policy has let pass: the names of providers are bounded by what administrators create.
  if (target) {
    metrics.passthroughRequest(target.providerType, ending.outcome, ms);
    metrics.passthroughBytes('request', used ? requestBytes : 0);
    metrics.passthroughBytes('response', ending.responseBytes);
  }
  const attempts: Attempt[] = used && target ? [{ providerId: target.providerId }] : [];
  const refused = refusedOf(exchange, { model: '', attempts }, gateway.wallMs());
  if (refused !== undefined) gateway.refusals.note(refused);
  if (!log.enabled('info')) return;
  log.info('request', {
    requestId: exchange.requestId,
    clientRequestId: exchange.clientRequestId || undefined,
    traceId: exchange.traceId || undefined,
    route: PASSTHROUGH_PATH,
    status: ending.httpStatus,
    outcome: ending.outcome,
    errorCode: ending.errorCode || undefined,
    organisationId: allow?.subject?.organisationId,
    apiKeyId: allow?.subject?.apiKeyId,
    providerId: target?.providerId,
    passthroughRule: target?.rule ? `${target.rule.method} ${target.rule.path}` : undefined,
    costUsd: used ? formatUsd(costOf(exchange)) : undefined,
    requestBytes,
    responseBytes: ending.responseBytes,
    latencyMs: Math.round(ms),
    firstByteMs: ending.firstByteMs || undefined,
  });
}
