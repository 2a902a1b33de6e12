import { uuidv7 } from '@tollgate/kit';

import type { AuthorisedExchange, Exchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { grownBy } from '../exchange/settle-message';

/**
 * Gives the hold back, which is for the model that the request asked for, so that the request can be
 * authorised with the one that a plugin chose. Waits until policy has done so: else the request would be
 * refused for what it holds itself. A hold that has ended cannot be taken again, so the request gets
 * another id, which its record and its answer have.
 * @throws GatewayError `dependency_unavailable`
 */
export async function giveBack(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  model: string,
): Promise<void> {
  const { hold, requestId: before } = exchange;
  const ending: Exchange = exchange;
  // From here on there is nothing to settle.
  ending.hold = undefined;
  await gateway.policy.release(hold, grownBy(exchange.job));
  exchange.requestId = uuidv7();
  exchange.chosenModel = model;
  delete exchange.job.readTokens;
  delete exchange.job.assumedTokens;
  const { requestId } = exchange;
  gateway.log.info('a plugin chose another model', { requestId, before, model });
}
