import { mcpServerPage } from '../../../../features/mcp-servers/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'MCP server' };
export default organisationPage(mcpServerPage);
