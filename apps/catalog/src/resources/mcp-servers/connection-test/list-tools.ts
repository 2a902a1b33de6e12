import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';

/** The tools of a server as it sends them, page by page. */

const MAX_PAGES = 20;
const MAX_TOOLS = 500;

/** Tools are kept whole, because their digests cover every field. */
const page = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string() })),
  nextCursor: z.string().optional(),
});
export type SentTool = z.output<typeof page>['tools'][number];

export interface ListedTools {
  readonly tools: readonly SentTool[];
  /** The server has more. */
  readonly truncated: boolean;
}

export async function listTools(client: Client, options: RequestOptions): Promise<ListedTools> {
  // A server without this capability has no such method.
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], truncated: false };
  const tools: SentTool[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const read = await client.request({ method: 'tools/list', params }, page, options);
    tools.push(...read.tools);
    if (tools.length > MAX_TOOLS) return { tools: tools.slice(0, MAX_TOOLS), truncated: true };
    // A page that names itself as the next one would be read again and again.
    if (read.nextCursor === undefined || read.nextCursor === cursor) {
      return { tools, truncated: false };
    }
    cursor = read.nextCursor;
  }
  return { tools, truncated: true };
}
