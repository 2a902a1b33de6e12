import type { SettleRequest } from '@tollgate/contracts/node';

import { totalOf, type Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { settleMessage } from '../exchange/settle-message';
import { noteStep } from '../tracing';

/** Ends the hold, if one was taken. Called exactly once per request. */
export function settle(gateway: Gateway, exchange: Exchange): void {
  const { ending, hold } = exchange;
  if (exchange.sideCharge) Object.assign(ending, totalOf(exchange));
  if (!hold) return;
  const startMs = gateway.nowMs();
  const message = exchange.used ? settleMessage(gateway, exchange) : cancelled(exchange);
  gateway.policy.settle(hold, message);
  if (exchange.trace) noteSettle(exchange, message, { startMs, endMs: gateway.nowMs() });
}

function noteSettle(
  { trace }: Exchange,
  { cancelled, costNanoUsd, outcome }: SettleRequest,
  times: { startMs: number; endMs: number },
): void {
  const attributes = {
    'tollgate.settle.cancelled': cancelled,
    'tollgate.outcome': outcome,
    'tollgate.cost_nano_usd': costNanoUsd,
  };
  noteStep(trace, { name: 'settle', ...times, attributes });
}

// Nothing was sent to an upstream, so nothing can have been billed.
function cancelled({ requestId, ending }: Exchange): SettleRequest {
  return { requestId, cancelled: true, outcome: ending.outcome, errorCode: ending.errorCode };
}
