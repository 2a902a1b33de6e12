// A tool's failure in words. Two formats have a field for it; in the others the result starts with
// a mark for the model, which is removed when the conversation comes back.

import type { ContentBlock, ToolResultBlock } from './normalised';

const MARK = '[tool error]';

/** The result for a format without an error field. */
export function sayToolError({ content, isError }: ToolResultBlock): ContentBlock[] {
  if (isError !== true) return content;
  const [first, ...others] = content;
  if (first?.type !== 'text') return [{ type: 'text', text: MARK }, ...content];
  return [{ ...first, text: first.text === '' ? MARK : `${MARK} ${first.text}` }, ...others];
}

/** Decodes a client's tool result; a marked one is a failure. */
export function readToolError(toolCallId: string, content: ContentBlock[]): ToolResultBlock {
  const result = { type: 'tool_result', toolCallId } as const;
  const [first, ...others] = content;
  if (first?.type !== 'text') return { ...result, content };
  if (first.text === MARK) return { ...result, content: others, isError: true };
  if (!first.text.startsWith(`${MARK} `)) return { ...result, content };
  const text = first.text.slice(MARK.length + 1);
  return { ...result, content: [{ ...first, text }, ...others], isError: true };
}
