import { ERRORS, GatewayError, gatewayError } from '@tollgate/contracts';

import { HANDLING } from '../error-handling';
import { sendError } from '../errors';
import { ClientGone } from '../intake';
import { relayedHeader } from '../reply/header-text';
import { UpstreamFailure } from '../upstream/failure';
import { HeadersContradict, MethodNotAllowed } from './errors/refusals';
import { encodeRpcError } from './errors/rpc-errors';
import type { McpExchange } from './exchange';
import type { McpGateway } from './gateway';
import { HEADER_MISMATCH_CODE } from './headers';
import { noteAbandoned, noteBroken } from './relay/endings';
import { MissingScope, wwwAuthenticate } from './sign-in';

const ALLOWED_METHODS = 'POST, GET, DELETE';

/** Sends the error to the client and records it. */
export function refuse(gateway: McpGateway, exchange: McpExchange, thrown: unknown): void {
  if (thrown instanceof ClientGone || exchange.clientGone) return noteAbandoned(exchange);
  const { ending, res } = exchange;
  const error = told(gateway, exchange, thrown);
  report(gateway, exchange, error);
  if (res.headersSent) {
    noteBroken(ending, error);
    return void res.destroy();
  }
  ending.outcome = 'FAILED';
  const evidence = exchange.screening?.evidence() ?? '';
  if (evidence !== '') res.setHeader('x-tollgate-screening', relayedHeader(evidence));
  send(exchange, thrown, error);
}

/** Sends the error to the client, and is in no record. */
export function sendRefusal(
  gateway: McpGateway,
  exchange: McpExchange,
  thrown: unknown,
): GatewayError {
  const error = told(gateway, exchange, thrown);
  if (!exchange.res.headersSent) send(exchange, thrown, error);
  return error;
}

function send(exchange: McpExchange, thrown: unknown, error: GatewayError): void {
  const { ending, req, requestId, res, rpcId, traceId } = exchange;
  ending.errorCode = error.code;
  const rpcCode = thrown instanceof HeadersContradict ? HEADER_MISMATCH_CODE : undefined;
  const encodeError = (shown: GatewayError) => {
    const challenge = challengeFor(exchange, thrown, shown);
    const encoded = encodeRpcError(shown, { challenge, requestId, rpcCode, rpcId, traceId });
    if (!(thrown instanceof MethodNotAllowed)) return encoded;
    return { ...encoded, status: 405, headers: { ...encoded.headers, allow: ALLOWED_METHODS } };
  };
  ending.httpStatus = sendError(req, res, { encodeError }, error, requestId);
}

/** Undefined: signing in would not help, or is not possible here. */
function challengeFor(
  { challenge, tokenSent }: McpExchange,
  thrown: unknown,
  { code }: GatewayError,
): string | undefined {
  if (!challenge) return undefined;
  if (thrown instanceof MissingScope) return wwwAuthenticate(challenge, 'insufficient_scope');
  if (ERRORS[code].status !== 401) return undefined;
  return wwwAuthenticate(challenge, tokenSent ? 'invalid_token' : undefined);
}

/** The error that a client is shown. What nobody has foreseen is logged. */
export function told(
  { log }: Pick<McpGateway, 'log'>,
  { requestId }: Pick<McpExchange, 'requestId'>,
  thrown: unknown,
): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof UpstreamFailure) return thrown.error;
  if (thrown instanceof MethodNotAllowed || thrown instanceof HeadersContradict)
    return thrown.error;
  if (thrown instanceof MissingScope) return thrown.error;
  log.error('request failed', { requestId, error: thrown });
  return gatewayError('internal_error');
}

/** Reports the refusal for the key's list of refusals. The message is not sent. */
function report(
  { policy }: McpGateway,
  exchange: McpExchange,
  { code, param }: GatewayError,
): void {
  const { keySha256, requestId, denial } = exchange;
  if (keySha256 === undefined || denial || !HANDLING[code].reportedForKey) return;
  policy.refused({ keySha256, requestId, code, param: param ?? '', model: '' });
}
