import { mcpServersPage } from '../../../features/mcp-servers/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'MCP servers' };
export default platformPage(mcpServersPage);
