// How a relayed answer ended, for its record and its cost. Pure but for the exchange that they note it in.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { McpEnding, McpExchange } from '../exchange';
import type { ResponseTap, RpcResponse } from './response-tap';

/** The whole answer was passed on. Returns the error that its client has to be told of, if any. */
export function noteComplete(
  exchange: McpExchange,
  tap: ResponseTap | undefined,
): GatewayError | undefined {
  const { ending } = exchange;
  const refused = ending.httpStatus >= 400;
  if (!tap) {
    noteUnanswered(ending, refused);
    return undefined;
  }
  const response = (ending.response = tap.response());
  if (response && response.errorCode === undefined && !refused) {
    ending.outcome = 'COMPLETED';
    ending.charged = true;
    return undefined;
  }
  if (response || refused) {
    noteRefusal(exchange, response);
    return undefined;
  }
  // The server ended the stream on purpose: its client resumes it, and gets the result on another one.
  if (tap.resumable()) {
    ending.outcome = 'COMPLETED';
    ending.charged = true;
    return undefined;
  }
  const error = gatewayError(
    'upstream_error',
    'The MCP server ended its answer without a response.',
  );
  noteBroken(ending, error);
  return error;
}

/** Nobody waits for a response: a notification, a stream, the end of a session. */
function noteUnanswered(ending: McpEnding, refused: boolean): void {
  ending.outcome = refused ? 'FAILED' : 'COMPLETED';
  if (refused) ending.errorCode = 'upstream_rejected';
}

/** Errors by which a server says that the request is at fault; the gateway is not. */
const OF_THE_REQUEST: ReadonlySet<number> = new Set([
  -32_700, -32_600, -32_601, -32_602,
  // No such resource, in earlier revisions; headers, capability, revision; more input is needed at a URL.
  -32_002,
  -32_020, -32_021, -32_022, -32_042,
]);

function noteRefusal({ ending, session }: McpExchange, response: RpcResponse | undefined): void {
  const { httpStatus } = ending;
  const atFault = response === undefined || OF_THE_REQUEST.has(response.errorCode ?? 0);
  if (httpStatus === 404 && session) {
    ending.outcome = 'FAILED';
    ending.errorCode = 'mcp_session_not_found';
    return;
  }
  // A refusal with the status 200 is an answer, so that it does not count as a failure of the server.
  ending.outcome = atFault && httpStatus < 400 ? 'COMPLETED' : 'FAILED';
  ending.errorCode = atFault ? 'upstream_rejected' : 'upstream_error';
}

/** The answer broke off after it had begun. */
export function noteBroken(ending: McpEnding, error: GatewayError): void {
  ending.outcome = 'PARTIAL';
  ending.errorCode = error.code;
}

/**
 * The client did not wait. The server may have done the work all the same, and in the legacy era it goes on
 * and keeps the result, so the call is paid for.
 */
export function noteAbandoned({ ending, used }: McpExchange): void {
  const { response } = ending;
  if (response && response.errorCode === undefined) {
    // It has what it wanted, and left without waiting for the end of the stream.
    ending.outcome = 'COMPLETED';
    ending.charged = true;
    return;
  }
  ending.outcome = 'CLIENT_CLOSED';
  ending.charged = used;
  if (ending.httpStatus === 0) ending.httpStatus = 499;
}
