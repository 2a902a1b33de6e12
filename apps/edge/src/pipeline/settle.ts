import type { SettleRequest } from '@tollgate/contracts/node';

import { totalOf, type Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { handOver } from '../exchange/hand-over';
import { firstChoiceCost } from '../exchange/savings';
import { grownBy, settleMessage } from '../exchange/settle-message';

/** Ends the hold, if one was taken. Called exactly once per request. */
export function settle(gateway: Gateway, exchange: Exchange): void {
  const { ending, hold, trace } = exchange;
  // Before the other attempts are added: only the answer is compared.
  if (hold && exchange.used) ending.firstChoiceCostNanoUsd = firstChoiceCost(exchange);
  if (exchange.sideCharge) Object.assign(ending, totalOf(exchange));
  if (!hold) return;
  const message = exchange.used ? settleMessage(gateway, exchange) : cancelled(exchange);
  handOver(gateway, trace, hold, message);
}

// Nothing was sent to an upstream, so nothing can have been billed.
function cancelled({ requestId, ending, job }: Exchange): SettleRequest {
  const { outcome, errorCode } = ending;
  return { requestId, cancelled: true, outcome, errorCode, ...grownBy(job) };
}
