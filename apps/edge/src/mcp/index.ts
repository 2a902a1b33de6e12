// The path of one request to an MCP server. The gateway is a transparent proxy with one server for each
// path: bytes are passed on as they are, both ways, but for lists that a key's rules restrict.

import type { ServerResponse } from 'node:http';

import type { ClientRequest } from '../exchange/exchange';
import { readKey } from '../intake/read-key';
import { MCP_KEYS } from '../routes';
import { admit } from './admit';
import { connect } from './connect';
import { openMcpExchange } from './exchange';
import type { McpGateway } from './gateway';
import { checkMethod, checkOrigin, receive } from './intake';
import { checkPin } from './pin-check';
import { checkReferences } from './references';
import { refuse } from './refuse';
import { relay } from './relay/relay';
import { noteRequest } from './request-log';
import { settle } from './settle';

export { createMcpGateway } from './create-mcp-gateway';
export type { McpGateway } from './gateway';

/** Serves one request with any method. `server`: the identifier from the path. Never rejects. */
export async function serveMcp(
  gateway: McpGateway,
  server: string,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  const exchange = openMcpExchange(server, req, res, gateway.nowMs());
  try {
    checkOrigin(gateway, exchange);
    checkMethod(exchange);
    const received = await receive(gateway, exchange, readKey(req, MCP_KEYS));
    const admitted = await admit(gateway, received);
    checkReferences(admitted);
    const connected = await connect(gateway, admitted);
    await checkPin(gateway, connected);
    await relay(gateway, connected);
  } catch (error) {
    refuse(gateway, exchange, error);
  } finally {
    settle(gateway, exchange);
    noteRequest(gateway, exchange);
    exchange.lease?.release();
  }
}
