import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { McpServers } from './mcp-servers';

export const mcpServersPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listMcpServers, {
      params: { organisationId },
      query: listInput(rest.listMcpServers, get),
    }),
  ],
  view: () => <McpServers />,
};
