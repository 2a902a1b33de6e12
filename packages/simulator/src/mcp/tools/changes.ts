// Tools that change what the server offers, and the tool that changes.

import { optional } from '../schemas';
import { text, type Tool } from './tool';

export const CHANGE_TOOLS: readonly Tool[] = [
  {
    name: 'test_trigger_tool_change',
    description: 'Changes the tool sim_changing and tells the clients.',
    run(_args, _context, upstream) {
      upstream.changeTools();
      return text('The tools have changed.');
    },
  },
  {
    name: 'test_trigger_prompt_change',
    description: 'Tells the clients that the prompts have changed.',
    run(_args, _context, upstream) {
      upstream.changePrompts();
      return text('The prompts have changed.');
    },
  },
];

// The SDK keeps each schema that it has compiled, so a revision has one object.
const revisions = new Map<number, Tool>();

/** The tool whose definition says how often it was changed. */
export function changingTool(revision: number): Tool {
  const known = revisions.get(revision);
  if (known !== undefined) return known;
  const tool: Tool = {
    name: 'sim_changing',
    description: `This is revision ${String(revision)} of the tool.`,
    input: optional({ [`revision_${String(revision)}`]: { type: 'string' } }),
    run: () => text(`Revision ${String(revision)}.`),
  };
  revisions.set(revision, tool);
  return tool;
}
