// Ends the hold of a request: the price of the call and of the bytes that passed, if the provider bills them.

import {
  emptyUsage,
  passthroughCost,
  passthroughUnits,
  regionsText,
  type NanoUsd,
} from '@tollgate/contracts';
import type { SettleRequest } from '@tollgate/contracts/node';

import { recordedAttribution } from '../attribution/recorded';
import { handOver } from '../exchange/hand-over';
import type { PassthroughExchange, PassthroughGateway } from './exchange';

/** Called exactly once per request. */
export function settle(gateway: PassthroughGateway, exchange: PassthroughExchange): void {
  const { hold, trace } = exchange;
  if (hold) handOver(gateway, trace, hold, settleMessage(gateway, exchange));
}

export function costOf({ allow, ending, requestBytes, used }: PassthroughExchange): NanoUsd {
  const rule = allow?.passthrough?.rule;
  if (!rule || !used || !ending.charged) return 0n;
  return passthroughCost(rule, requestBytes, ending.responseBytes);
}

export function settleMessage(
  { nowMs }: Pick<PassthroughGateway, 'nowMs'>,
  exchange: PassthroughExchange,
): SettleRequest {
  const { allow, ending, requestBytes, requestId, used } = exchange;
  const { errorCode, outcome } = ending;
  // Nothing was sent to the provider, so it can have done nothing.
  if (!used) return { requestId, cancelled: true, outcome, errorCode };
  const units = Object.entries(passthroughUnits(requestBytes, ending.responseBytes));
  return {
    requestId,
    cancelled: false,
    outcome,
    usage: emptyUsage(),
    units: Object.fromEntries(units.map(([unit, bytes]) => [unit, String(bytes)])),
    usageQuality: ending.quality,
    costNanoUsd: costOf(exchange).toString(),
    providerId: allow?.passthrough?.providerId ?? '',
    httpStatus: ending.httpStatus,
    errorCode,
    latencyMs: Math.round(nowMs() - exchange.startedMs),
    firstTokenMs: ending.firstByteMs,
    upstreamMs: ending.upstreamMs,
    upstreamRequestId: ending.upstreamRequestId,
    regions: regionsText([allow?.passthrough?.region ?? '']),
    ...recordedAttribution(exchange.req.headers, allow, undefined),
    traceId: exchange.traceId,
    requestBytes,
    responseBytes: ending.responseBytes,
  };
}
