import type { GatewayError } from '@tollgate/contracts';

import { sendError } from '../errors';
import { reportRefusal, shownError } from '../exchange/refusal';
import { FORMATS } from '../formats';
import { ClientGone } from '../intake';
import type { PassthroughExchange, PassthroughGateway } from './exchange';

/** Sends the error to the client and records it. */
export function refuse(
  gateway: PassthroughGateway,
  exchange: PassthroughExchange,
  thrown: unknown,
): void {
  const { ending, res } = exchange;
  if (thrown instanceof ClientGone || exchange.clientGone) return noteAbandoned(exchange);
  const error = shownError(gateway, exchange, thrown);
  reportRefusal(gateway, exchange, error);
  ending.errorCode = error.code;
  if (res.headersSent) {
    ending.outcome = 'PARTIAL';
    return void res.destroy();
  }
  ending.outcome = 'FAILED';
  ending.httpStatus = send(exchange, error);
}

/** Sends the error, and is in no record. */
export function sendRefusal(
  gateway: PassthroughGateway,
  exchange: PassthroughExchange,
  thrown: unknown,
): GatewayError {
  const error = shownError(gateway, exchange, thrown);
  if (!exchange.res.headersSent) send(exchange, error);
  return error;
}

function send({ req, requestId, res, traceId }: PassthroughExchange, error: GatewayError): number {
  return sendError(req, res, FORMATS['openai-chat'], error, requestId, traceId);
}

/** The client did not wait. The provider bills what it was sent, and what it has answered so far. */
function noteAbandoned({ ending, used }: PassthroughExchange): void {
  ending.outcome = 'CLIENT_CLOSED';
  const answered = ending.httpStatus !== 0;
  if (!answered) ending.httpStatus = 499;
  // An error answer of the provider costs nothing.
  if (answered && !ending.charged) return;
  ending.charged = used;
  ending.quality = 'ESTIMATED';
}
