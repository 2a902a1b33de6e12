import { ERRORS, type GatewayError } from '@tollgate/contracts';

import { sendError } from '../errors';
import { reportRefusal, shownError } from '../exchange/refusal';
import { ClientGone } from '../intake';
import { relayedHeader } from '../reply/header-text';
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
  const waits = !exchange.clientGone && !exchange.givenUp;
  if (thrown instanceof ClientGone || !waits) return noteAbandoned(exchange);
  const { ending, res } = exchange;
  const error = told(gateway, exchange, thrown);
  reportRefusal(gateway, exchange, error);
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

/** The error that the client gets. */
export function told(
  gateway: Pick<McpGateway, 'log'>,
  exchange: Pick<McpExchange, 'requestId'>,
  thrown: unknown,
): GatewayError {
  if (thrown instanceof MethodNotAllowed || thrown instanceof HeadersContradict)
    return thrown.error;
  if (thrown instanceof MissingScope) return thrown.error;
  return shownError(gateway, exchange, thrown);
}
