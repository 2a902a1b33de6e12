import { GatewayError, gatewayError } from '@tollgate/contracts';
import { sendError } from '../errors';
import { ClientGone } from './body';
import { chargeFor, tookSoFar } from './charge';
import type { Exchange } from './exchange';
import type { Gateway } from './gateway';

/** Tells the client why it gets no answer, and notes it for the record. */
export function refuse(gateway: Gateway, exchange: Exchange, error: unknown): void {
  if (error instanceof ClientGone || exchange.clientGone) return left(exchange);
  const { ending, res, format, requestId } = exchange;
  const told = error instanceof GatewayError ? error : gatewayError('internal_error');
  if (told !== error) gateway.log.error('request failed', { requestId, error });
  ending.errorCode = told.code;
  ending.outcome = res.headersSent ? 'PARTIAL' : 'FAILED';
  // How much an upstream that never answered in time has done nobody can tell.
  if (told.code === 'upstream_timeout') ending.quality = 'UNKNOWN';
  if (!res.headersSent) {
    ending.httpStatus = told.status;
    sendError(exchange.req, res, format, told, requestId);
    return;
  }
  if (!res.writableEnded) res.end(format.encodeStreamError(told, { requestId }));
}

// Nobody is there to be told. What the upstream had been asked for it will bill for.
function left(exchange: Exchange): void {
  const { allow, ending, job, used } = exchange;
  const candidate = ending.candidate ?? allow?.candidates[0];
  if (ending.outcome === 'CLIENT_CLOSED') return;
  ending.outcome = 'CLIENT_CLOSED';
  ending.httpStatus = 499;
  if (!used || !job || !candidate) return;
  Object.assign(ending, chargeFor(candidate, tookSoFar(job, 0)));
}
