// The tools of every MCP server of the simulator, as tables: content.ts answers at once, timing.ts takes
// time, asks.ts asks the client, input-required.ts asks over several rounds, changes.ts changes the
// lists. A tool's row says all that is known of it.

import type { McpUpstream } from '../upstream';
import { ASKING_TOOLS } from './asks';
import { CHANGE_TOOLS, changingTool } from './changes';
import { CONTENT_TOOLS } from './content';
import { INPUT_REQUIRED_TOOLS } from './input-required';
import { TIMING_TOOLS } from './timing';
import type { Tool } from './tool';

export type { Tool, ToolResult } from './tool';
export { requestState } from './state';

export function toolsOf(upstream: McpUpstream): readonly Tool[] {
  return [
    ...CONTENT_TOOLS,
    ...TIMING_TOOLS,
    ...ASKING_TOOLS,
    ...INPUT_REQUIRED_TOOLS,
    ...CHANGE_TOOLS,
    changingTool(upstream.revision()),
  ];
}
