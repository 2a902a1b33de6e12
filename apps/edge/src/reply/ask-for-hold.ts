import type { ServerResponse } from 'node:http';
import type { Allow__Output, AuthorizeRequest, Denial__Output } from '@tollgate/contracts/node';

import { askPolicy } from '../exchange/ask-policy';
import { denialError } from '../exchange/denial';
import type { Gateway } from '../exchange/gateway';
import type { RequestTrace } from '../exchange/request-trace';
import type { Hold } from '../policy';
import { tellIgnoredTags } from './ignored-tags';
import { limitHeaders } from './limit-headers';

type Asker = Pick<Gateway, 'log' | 'metrics' | 'nowMs' | 'wallMs'> & {
  readonly policy: Pick<Gateway['policy'], 'authorize'>;
};

interface Asking {
  readonly clientGone: boolean;
  readonly keySha256: Buffer;
  readonly res: ServerResponse;
  readonly trace?: RequestTrace | undefined;
  denial: Denial__Output | undefined;
}

/**
 * Asks policy about a request that has no vendor's format, and notes the hold or the refusal in its exchange. If the
 * caller then throws, the exchange still has the hold and releases it.
 * @throws GatewayError with the code of the refusal, `dependency_unavailable`, `overloaded`
 */
export async function askForHold<E extends Asking>(
  gateway: Asker,
  exchange: E,
  question: AuthorizeRequest,
): Promise<E & { readonly allow: Allow__Output; readonly hold: Hold }> {
  const decision = await askPolicy(gateway, exchange, question);
  const { allow, denial } = decision;
  gateway.metrics.limitsSeen((allow ?? denial).limits, exchange.keySha256);
  exchange.denial = denial ?? undefined;
  if (denial) {
    const left = limitHeaders('unified', denial.limits, gateway.wallMs());
    for (const [header, value] of Object.entries(left)) exchange.res.setHeader(header, value);
    throw denialError(gateway.log, denial);
  }
  tellIgnoredTags(exchange.res, allow);
  return Object.assign(exchange, { allow, hold: decision.hold });
}
