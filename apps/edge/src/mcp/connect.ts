// Finds where a request goes: the server's connection, and the session that the client names.

import { gatewayError } from '@tollgate/contracts';

import type { AdmittedExchange, ConnectedExchange } from './exchange';
import type { McpGateway } from './gateway';
import type { McpSession } from './session/sealed-session';

/**
 * @throws GatewayError `mcp_session_not_found`, `dependency_unavailable`, `provider_misconfigured`
 */
export async function connect(
  gateway: McpGateway,
  exchange: AdmittedExchange,
): Promise<ConnectedExchange> {
  const { serverId, connectionVersion } = exchange.target;
  const upstream = await gateway.connections.get(serverId, connectionVersion);
  // Only the newest connection is kept, and policy may have decided by an older one. A key whose regions are
  // restricted never gets a target without a region.
  const { region } = exchange.target;
  if (region !== '' && region !== upstream.region) {
    throw gatewayError(
      'dependency_unavailable',
      'The region of this MCP server has just changed. Send the request again.',
    );
  }
  const connected = Object.assign(exchange, { upstream });
  exchange.region = upstream.region;
  exchange.session = sessionOf(gateway, connected);
  return connected;
}

export const SESSION_HEADER = 'mcp-session-id';

/** The modern era has no sessions, and ignores the header. */
function sessionOf(gateway: McpGateway, exchange: ConnectedExchange): McpSession | undefined {
  const { principal, modern, req, upstream } = exchange;
  const sealed = req.headers[SESSION_HEADER];
  if (modern || sealed === undefined) return undefined;
  const session = gateway.seals.open(String(sealed), principal);
  const fits =
    session?.serverId === upstream.serverId && session.connectionVersion === upstream.version;
  // The same answer for every reason: a client initialises again, and nobody learns which it was.
  if (!session || !fits) throw gatewayError('mcp_session_not_found');
  return session;
}
