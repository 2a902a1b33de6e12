// Ends the hold of a request, with what its record tells.

import { createHash } from 'node:crypto';
import { emptyUsage, regionsText } from '@tollgate/contracts';
import type { McpResult, SettleRequest } from '@tollgate/contracts/node';

import { recordedAttribution } from '../attribution/recorded';
import { handOver } from '../exchange/hand-over';
import type { McpExchange } from './exchange';
import type { McpGateway } from './gateway';

/** Only JSON-RPC requests have a hold. Later calls for the same request change nothing. */
export function settle(gateway: McpGateway, exchange: McpExchange): void {
  const { hold, settled, trace } = exchange;
  exchange.settled = true;
  if (hold && !settled) handOver(gateway, trace, hold, settleMessage(gateway, exchange));
}

export function settleMessage(
  gateway: Pick<McpGateway, 'nowMs'>,
  exchange: McpExchange,
): SettleRequest {
  const { allow, ending, refusedByRule, region, requestId, screening, used } = exchange;
  const { errorCode, outcome } = ending;
  // Nothing was sent to the server, so it can have done nothing.
  if (!used && !refusedByRule) return { requestId, cancelled: true, outcome, errorCode };
  const paid = used && (ending.charged || (allow?.mcp?.chargeFailures ?? false));
  return {
    requestId,
    cancelled: false,
    outcome,
    usage: emptyUsage(),
    units: {},
    usageQuality: 'EXACT',
    costNanoUsd: (paid && allow?.heldNanoUsd) || '0',
    httpStatus: ending.httpStatus,
    errorCode,
    latencyMs: Math.round(gateway.nowMs() - exchange.startedMs),
    firstTokenMs: ending.firstByteMs,
    upstreamMs: ending.upstreamMs,
    stream: ending.stream,
    upstreamRequestId: ending.upstreamRequestId,
    mcp: resultOf(exchange),
    screening: screening?.evidence() ?? '',
    regions: regionsText(used ? [region] : []),
    ...recordedAttribution(exchange.req.headers, allow, screening?.tags()),
    traceId: exchange.traceId,
  };
}

function resultOf(exchange: McpExchange): McpResult {
  const { ending, protocolVersion, requestBytes, session, traceId } = exchange;
  const { response } = ending;
  return {
    rpcErrorCode: response?.errorCode ?? 0,
    isError: response?.isError ?? false,
    // What the server chose, where it was asked to.
    protocolVersion: response?.protocolVersion || protocolVersion,
    resultType: response?.resultType ?? '',
    requestBytes,
    responseBytes: ending.responseBytes,
    sessionSha256: session
      ? createHash('sha256').update(session.upstreamId).digest()
      : Buffer.alloc(0),
    traceId,
  };
}
