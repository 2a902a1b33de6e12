import { rest } from '@tollgate/contracts';

import type { McpServer } from '../../entities/mcp-server.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/** Which settings a transport takes, and who may set them. */

/** A command runs on a host of the gateway, so tenants may not set it. */
export function assertMayRunCommands(call: Pick<Call, 'access'>, field: string): void {
  if (call.access.reach === 'everywhere') return;
  throw invalid(field, 'only a platform administrator may set up a server that runs a command');
}

export function assertFits(
  call: Pick<Call, 'access'>,
  { transport, command }: McpServer,
  body: Partial<Pick<rest.McpServerPatch, 'url' | 'command' | 'status'>>,
): void {
  const stdio = transport === 'STDIO';
  if (stdio && body.url !== undefined) throw invalid('url', 'must be empty for transport STDIO');
  if (body.command !== undefined) {
    if (!stdio) throw invalid('command', `transport ${transport} has none`);
    assertMayRunCommands(call, 'command');
  }
  const named = body.command ?? command ?? '';
  if (stdio && body.status === 'ACTIVE' && !rest.MCP_COMMAND_NAME.test(named)) {
    throw invalid('command', "must be the name of a command in the runner's own file");
  }
}
