import { mcpServerPage } from '../../../../features/mcp-servers/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'MCP server' };
export default platformPage(mcpServerPage);
