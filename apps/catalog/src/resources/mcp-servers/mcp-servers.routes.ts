import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { addGrants, getKeyServers, setKeyServers } from './key-grants';
import { create, get, list, remove, update, type McpServerDeps } from './mcp-servers';

export function createMcpServerRoutes(deps: McpServerDeps): Route[] {
  return [
    serve(rest.listMcpServers, list),
    serve(rest.createMcpServer, (call) => create(call, deps)),
    serve(rest.getMcpServer, get),
    serve(rest.updateMcpServer, (call) => update(call, deps)),
    serve(rest.deleteMcpServer, remove),
    serve(rest.addMcpGrants, addGrants),
    serve(rest.getApiKeyMcpServers, getKeyServers),
    serve(rest.setApiKeyMcpServers, setKeyServers),
  ];
}
