import { GatewayError, gatewayError } from '@tollgate/contracts';

import { HANDLING } from '../error-handling';
import { sendError } from '../errors';
import { FORMATS } from '../formats';
import { ClientGone } from '../intake';
import { UpstreamFailure } from '../upstream/failure';
import type { PassthroughExchange, PassthroughGateway } from './exchange';

/** Sends the error to the client and records it. */
export function refuse(
  gateway: PassthroughGateway,
  exchange: PassthroughExchange,
  thrown: unknown,
): void {
  const { ending, res } = exchange;
  if (thrown instanceof ClientGone || exchange.clientGone) return noteAbandoned(exchange);
  const error = told(gateway, exchange, thrown);
  report(gateway, exchange, error);
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
  const error = told(gateway, exchange, thrown);
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

/** The error that a client is shown. What nobody has foreseen is logged. */
function told(
  { log }: PassthroughGateway,
  { requestId }: PassthroughExchange,
  thrown: unknown,
): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof UpstreamFailure) return thrown.error;
  log.error('request failed', { requestId, error: thrown });
  return gatewayError('internal_error');
}

/** Reports the refusal for the key's list of refusals. */
function report(
  { policy }: PassthroughGateway,
  { denial, keySha256, requestId }: PassthroughExchange,
  { code, param }: GatewayError,
): void {
  if (keySha256 === undefined || denial || !HANDLING[code].reportedForKey) return;
  policy.refused({ keySha256, requestId, code, param: param ?? '', model: '' });
}
