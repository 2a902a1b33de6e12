// Before a pinned tool is called: its definition must be the one that was pinned.

import { gatewayError } from '@tollgate/contracts';

import type { ConnectedExchange } from './exchange';
import type { McpGateway } from './gateway';
import { askTools } from './relay/ask-tools';

/**
 * Reads the server's list, in the client's own session, if the definition was not seen lately.
 * @throws GatewayError `mcp_tool_changed`, or what ended the reading; UpstreamFailure
 */
export async function checkPin(gateway: McpGateway, exchange: ConnectedExchange): Promise<void> {
  const { message, server, target, upstream } = exchange;
  if (message?.kind !== 'request' || message.method !== 'tools/call') return;
  const { name, params } = message;
  if (!target.pins.some(({ tool }) => tool === name)) return;
  const verdict = await gateway.pins.verify(upstream, target.pins, name, (cursor) =>
    askTools(gateway, exchange, params, cursor),
  );
  if (verdict !== 'CHANGED') return;
  throw gatewayError('mcp_tool_changed', undefined, {
    param: 'params.name',
    details: { server, tool: name },
  });
}
