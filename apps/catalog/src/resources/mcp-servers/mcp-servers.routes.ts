import { rest } from '@tollgate/contracts';

import { serve, serveDetached, type Route } from '../../rest/call';
import { testServer, type ConnectionTestDeps } from './connection-test';
import { addGrants, getKeyServers, setKeyServers } from './key-grants';
import { create, get, list, remove, update } from './mcp-servers';

export function createMcpServerRoutes(deps: ConnectionTestDeps): Route[] {
  return [
    serve(rest.listMcpServers, list),
    serve(rest.createMcpServer, (call) => create(call, deps)),
    serve(rest.getMcpServer, get),
    serve(rest.updateMcpServer, (call) => update(call, deps)),
    serve(rest.deleteMcpServer, remove),
    serveDetached(rest.testMcpServer, (call) => testServer(call, deps)),
    serve(rest.addMcpGrants, addGrants),
    serve(rest.getApiKeyMcpServers, getKeyServers),
    serve(rest.setApiKeyMcpServers, setKeyServers),
  ];
}
