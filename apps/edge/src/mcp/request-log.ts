import { formatUsd } from '@tollgate/contracts';

import { refusedOf } from '../refusals/refused-exchange';
import { MCP_PATH } from '../routes';
import type { McpExchange } from './exchange';
import type { McpGateway } from './gateway';
import { methodClassOf } from './message/method-class';

/** Writes the log line and the metrics of a finished request. */
export function noteRequest(gateway: McpGateway, exchange: McpExchange): void {
  const { allow, ending, message, req, requestBytes, used } = exchange;
  const { log, metrics } = gateway;
  const ms = gateway.nowMs() - exchange.startedMs;
  metrics.request(MCP_PATH, ending.httpStatus, ms);
  if (exchange.trace) {
    const { traceId } = exchange.trace;
    metrics.traced({ traceId, route: MCP_PATH, status: ending.httpStatus, ms });
  }
  const methodClass = methodClassOf(req.method, message);
  metrics.mcpRequest(methodClass, ending.outcome, ms);
  metrics.mcpBytes('request', requestBytes);
  metrics.mcpBytes('response', ending.responseBytes);
  if (exchange.screening) metrics.screened(exchange.screening.verdicts());
  const refused = refusedOf(exchange, { model: '', attempts: [] }, gateway.wallMs());
  if (refused !== undefined) gateway.refusals.note(refused);
  if (!log.enabled('info')) return;
  const named = message?.kind === 'request' ? message : undefined;
  log.info('request', {
    requestId: exchange.requestId,
    clientRequestId: exchange.clientRequestId || undefined,
    traceId: exchange.traceId || undefined,
    route: MCP_PATH,
    status: ending.httpStatus,
    outcome: ending.outcome,
    errorCode: ending.errorCode || undefined,
    organisationId: allow?.subject?.organisationId,
    apiKeyId: allow?.subject?.apiKeyId,
    mcpServer: exchange.server.slice(0, NAME_CHARACTERS),
    mcpMethod: named?.method ?? methodClass,
    mcpName: named?.name.slice(0, NAME_CHARACTERS) || undefined,
    rpcErrorCode: ending.response?.errorCode,
    isError: ending.response?.isError,
    stream: ending.stream,
    costUsd: used && ending.charged ? formatUsd(BigInt(allow?.heldNanoUsd || 0)) : undefined,
    requestBytes,
    responseBytes: ending.responseBytes,
    latencyMs: Math.round(ms),
    firstByteMs: ending.firstByteMs || undefined,
    screening: exchange.screening?.evidence() || undefined,
  });
}

const NAME_CHARACTERS = 256;
