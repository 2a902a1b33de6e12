import { startGateway, undo } from '../gateway/gateway';
import { newTenant } from '../gateway/tenant';
import { startFrontDoor } from '../mcp/front-door';
import { registerServer } from '../mcp/server';

// The simulator's MCP server behind a gateway. The suite cannot send an API key, so a front door adds it.

export interface Through {
  /** The simulator's server itself. */
  readonly direct: string;
  /** The same server through the gateway. */
  readonly through: string;
  readonly stop: () => Promise<void>;
}

export async function startThrough(): Promise<Through> {
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const gateway = await startGateway();
    cleanup.push(gateway.stop);
    const tenant = await newTenant(gateway);
    const server = await registerServer(gateway, tenant, 'conformance');
    const { key } = await tenant.key({ mcpServerIds: [server.id] });
    const edges = [gateway.edgeUrl()];
    const door = await startFrontDoor({ edges, authorization: `Bearer ${key}` });
    cleanup.push(door.stop);
    return {
      direct: `${gateway.simulatorUrl}/mcp`,
      through: `${door.url}${server.path}`,
      stop: () => undo(cleanup),
    };
  } catch (error) {
    await undo(cleanup);
    throw error;
  }
}
