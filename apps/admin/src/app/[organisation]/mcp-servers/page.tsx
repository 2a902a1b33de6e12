import { mcpServersPage } from '../../../features/mcp-servers/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'MCP servers' };
export default organisationPage(mcpServersPage);
