// Messages and answers as the conventions for generative AI write them: JSON, in one attribute each.

import type { ContentBlock, NormalisedChoice, NormalisedMessage, StopReason } from '../formats';
import type { TextBudget } from './text-budget';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The newest messages, as many as fit. */
export function inputMessages(messages: readonly NormalisedMessage[], budget: TextBudget): string {
  const written: object[] = [];
  for (const { content, name, role } of messages.toReversed()) {
    if (!budget.open()) break;
    const parts = partsOf(content, budget);
    written.push(name === undefined ? { role, parts } : { role, name, parts });
  }
  return JSON.stringify(written.toReversed());
}

/** `more`: the answer goes on after what is kept of it. */
export function outputMessages(
  choices: readonly NormalisedChoice[],
  budget: TextBudget,
  more: boolean,
): string {
  const written: object[] = [];
  for (const { content, stopReason } of choices) {
    if (!budget.open()) break;
    const parts = partsOf(content, budget, more);
    written.push({ role: 'assistant', parts, finish_reason: finishReason(stopReason) });
  }
  return JSON.stringify(written);
}

function finishReason(reason: StopReason): string {
  return reason === 'tool_calls' ? 'tool_call' : reason;
}

function partsOf(content: readonly ContentBlock[], budget: TextBudget, more = false): Part[] {
  const parts: Part[] = [];
  for (const block of content) {
    if (!budget.open()) break;
    parts.push(partOf(block, budget, more));
  }
  return parts;
}

/** Media are named and left out: they are large, and no rule has looked into them. */
function partOf(block: ContentBlock, budget: TextBudget, more: boolean): Part {
  const { take } = budget;
  switch (block.type) {
    case 'text':
    case 'refusal':
      return { type: block.type, content: take(block.text, more) };
    case 'thinking':
      return { type: 'reasoning', content: take(block.text, more) };
    case 'tool_call': {
      const { id, name } = block;
      return {
        type: 'tool_call',
        id: take(id),
        name: take(name),
        arguments: take(block.arguments, more),
      };
    }
    case 'tool_result': {
      const { toolCallId: id } = block;
      const response = partsOf(block.content, budget);
      return { type: 'tool_call_response', id: take(id), response };
    }
    case 'audio':
      return {
        type: 'audio',
        ...(block.transcript ? { content: take(block.transcript, more) } : {}),
      };
    case 'web_search':
      return { type: 'web_search', queries: block.queries.map((query) => take(query)) };
    case 'image':
    case 'file':
      return { type: block.type };
    case 'other':
      return { type: take(block.kind) };
  }
}
