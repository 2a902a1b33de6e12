import { systemClock } from '@tollgate/kit';

import { createMcpPlayground } from '../../../../../../server/mcp/playground';
import { runtime } from '../../../../../../server/runtime';

interface Context {
  params: Promise<{ organisationId: string }>;
}

/** Lists or calls the tools of an MCP server through the gateway. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { config, refresh, playgroundKeys: keys, log } = runtime();
  const playground = createMcpPlayground({
    edgeUrl: config.EDGE_URL,
    refresh,
    keys,
    log,
    clock: systemClock,
    fetch,
  });
  return playground(request, (await params).organisationId);
}
