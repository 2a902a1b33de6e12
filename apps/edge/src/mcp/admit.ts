// Asks policy: about a JSON-RPC request with a hold, about everything else whether the key may use the
// server.

import { gatewayError, mcpOperationOf } from '@tollgate/contracts';
import type { AuthorizeRequest } from '@tollgate/contracts/node';

import { claimedAttribution } from '../attribution';
import { askForHold } from '../reply/ask-for-hold';
import { MCP_PATH } from '../routes';
import type { AdmittedExchange, ReceivedExchange } from './exchange';
import type { McpGateway } from './gateway';
import type { McpRequestMessage } from './message/read-message';

/**
 * @throws GatewayError with the code of the refusal, `invalid_api_key`, `mcp_access_denied`,
 * `dependency_unavailable`, `overloaded`
 */
export async function admit(
  gateway: McpGateway,
  exchange: ReceivedExchange,
): Promise<AdmittedExchange> {
  const { message } = exchange;
  const admitted =
    message?.kind === 'request'
      ? await authorize(gateway, exchange, message)
      : await confirm(gateway, exchange);
  exchange.lease?.confirm();
  return admitted;
}

async function authorize(
  gateway: McpGateway,
  exchange: ReceivedExchange,
  message: McpRequestMessage,
): Promise<AdmittedExchange> {
  const { allow } = await askForHold(gateway, exchange, questionOf(exchange, message));
  if (!allow.mcp) throw gatewayError('internal_error');
  return Object.assign(exchange, { target: allow.mcp });
}

/** What policy is asked about a request. */
export function questionOf(
  exchange: ReceivedExchange,
  { method, name }: McpRequestMessage,
): AuthorizeRequest {
  const question: AuthorizeRequest = {
    requestId: exchange.requestId,
    keySha256: exchange.keySha256,
    operation: mcpOperationOf(method),
    mcp: { server: exchange.server, method, name },
    clientRequestId: exchange.clientRequestId,
    route: MCP_PATH,
  };
  const claimed = claimedAttribution(exchange.req.headers);
  if (claimed) question.claimed = claimed;
  return question;
}

async function confirm(gateway: McpGateway, exchange: ReceivedExchange): Promise<AdmittedExchange> {
  const { valid, target } = await gateway.policy.confirmMcp(exchange.keySha256, exchange.server);
  if (!valid) throw gatewayError('invalid_api_key');
  if (!target) throw gatewayError('mcp_access_denied');
  // After the question, so that made-up keys take no room.
  gateway.messageRate.take(exchange.keySha256);
  return Object.assign(exchange, { target });
}
