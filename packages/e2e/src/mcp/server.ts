import type { Gateway } from '../gateway/gateway';
import type { Tenant } from '../gateway/tenant';

// An MCP server of the simulator, registered in the gateway.

export interface RegisteredServer {
  readonly id: string;
  readonly identifier: string;
  /** Path below an edge. */
  readonly path: string;
}

/** `simulated`: the simulator's server, whose name may carry directives; empty: the default server. */
export async function registerServer(
  { simulatorUrl }: Pick<Gateway, 'simulatorUrl'>,
  tenant: Tenant,
  identifier: string,
  {
    simulated = '',
    ...over
  }: { readonly simulated?: string; readonly [field: string]: unknown } = {},
): Promise<RegisteredServer> {
  const { id } = await tenant.create('mcp-servers', {
    identifier,
    name: identifier,
    transport: 'STREAMABLE_HTTP',
    url: `${simulatorUrl}/mcp${simulated === '' ? '' : `/${simulated}`}`,
    ...over,
  });
  return { id, identifier, path: `/v1/mcp/${identifier}` };
}
