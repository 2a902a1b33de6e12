// Asks policy, which finds the rule and holds the most that the request may cost.

import { gatewayError, PASSTHROUGH_OPERATION, PASSTHROUGH_PATH } from '@tollgate/contracts';
import type { AuthorizeRequest } from '@tollgate/contracts/node';

import { claimedAttribution } from '../attribution';
import { askForHold } from '../reply/ask-for-hold';
import type { AdmittedPassthrough, PassthroughGateway, PlacedExchange } from './exchange';

/** @throws GatewayError with the code of the refusal, `dependency_unavailable`, `overloaded` */
export async function admit(
  gateway: PassthroughGateway,
  exchange: PlacedExchange,
): Promise<AdmittedPassthrough> {
  const { allow } = await askForHold(gateway, exchange, questionOf(exchange));
  const target = allow.passthrough;
  if (!target?.rule) throw gatewayError('internal_error');
  // Policy refuses such keys. Nothing of the body may leave unread if one that does not know that has decided.
  if (allow.screening.length > 0) throw gatewayError('passthrough_denied');
  return Object.assign(exchange, { allow, target: { ...target, rule: target.rule } });
}

/** What policy is asked about a request. */
export function questionOf(exchange: PlacedExchange): AuthorizeRequest {
  const { declaredBytes, method, path, provider } = exchange.place;
  const question: AuthorizeRequest = {
    requestId: exchange.requestId,
    keySha256: exchange.keySha256,
    operation: PASSTHROUGH_OPERATION,
    passthrough: {
      provider,
      method,
      path,
      requestBytes: declaredBytes ?? 0,
      unknownLength: declaredBytes === undefined,
    },
    clientRequestId: exchange.clientRequestId,
    route: PASSTHROUGH_PATH,
  };
  const claimed = claimedAttribution(exchange.req.headers);
  if (claimed) question.claimed = claimed;
  return question;
}
