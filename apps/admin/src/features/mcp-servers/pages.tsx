import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { McpServers } from './mcp-servers';
import { ServerPage } from './server-page';

export const mcpServersPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listMcpServers, {
      params: { organisationId },
      query: listInput(rest.listMcpServers, get),
    }),
  ],
  view: () => <McpServers />,
};

export const mcpServerPage: OrganisationPage = {
  reads: (ask, { organisationId, path: { id: mcpServerId = '' } }) => [
    ask(rest.getMcpServer, { params: { organisationId, mcpServerId } }),
  ],
  view: ({ path: { id: mcpServerId = '' } }) => <ServerPage mcpServerId={mcpServerId} />,
};
