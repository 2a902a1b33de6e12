// Anthropic messages: decodes a request, counts its tokens, and finds reasons to refuse it.

import type { Ask, Tool } from '../../ask';
import {
  arrayOf,
  countOf,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
  without,
  type JsonObject,
} from '../../json';
import {
  countImage,
  countJson,
  countTokens,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_REQUEST,
  type InputCount,
} from '../../tokens';

export function readMessages(body: JsonObject): Ask {
  const thinking = objectOf(body['thinking'])?.['type'];
  return {
    said: lastMessage(body),
    tools: toolsOf(body).filter(isClientTool).map(readTool),
    choice: readChoice(body),
    ...jsonOf(body),
    stops: textsOf(body['stop_sequences']),
    bound: countOf(body['max_tokens']),
    thinks: thinking === 'enabled' || thinking === 'adaptive',
    cites: documentsOf(body).some(({ cites }) => cites) || searchTool(body) !== undefined,
    choices: 1,
    params: without(body, ['messages']),
    count: countMessages(body),
  };
}

/** The blocks of a message; plain text is one block. */
export function blocksOf(content: unknown): JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

/** Instructions within the conversation are not answered. */
function lastMessage(body: JsonObject): Ask['said'] {
  const messages = objectsOf(body['messages']);
  const message = messages.findLast(({ role }) => role !== 'system') ?? {};
  const blocks = blocksOf(message['content']);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  if (results.length > 0) {
    const texts = results.flatMap(({ content }) => blocksOf(content)).map(textIn);
    return { by: 'tool', text: texts.filter((text) => text).join(' ') };
  }
  const text = blocks.map(textIn).filter((one) => one);
  return { by: message['role'] === 'user' ? 'user' : 'other', text: text.join(' ') };
}

function textIn(block: JsonObject): string {
  return block['type'] === 'text' ? textOf(block['text']) : '';
}

/** The vendor runs the other types itself, such as its web search. */
function isClientTool({ type }: JsonObject): boolean {
  return type === undefined || type === null || type === 'custom';
}

/** The tools of the request, and those that its conversation adds. */
function toolsOf(body: JsonObject): JsonObject[] {
  const blocks = objectsOf(body['messages']).flatMap(({ content }) => blocksOf(content));
  const changes = blocks.flatMap((block) => [block, ...objectsOf(block['tool_changes'])]);
  const added = changes.flatMap(({ tool, type }) => {
    const definition = objectOf(objectOf(tool)?.['definition']);
    return type === 'tool_addition' && definition !== undefined ? [definition] : [];
  });
  return [...objectsOf(body['tools']), ...added];
}

/** The search tool, if there is one. */
export function searchTool(body: JsonObject): JsonObject | undefined {
  return toolsOf(body).find(({ type }) => textOf(type).startsWith('web_search'));
}

export function runsCode(body: JsonObject): boolean {
  return toolsOf(body).some(({ type }) => textOf(type).startsWith('code_execution'));
}

function readTool(tool: JsonObject): Tool {
  return {
    name: textOf(tool['name']),
    kind: 'function',
    parameters: tool['input_schema'] ?? {},
  };
}

function readChoice(body: JsonObject): Ask['choice'] {
  const choice = objectOf(body['tool_choice']) ?? {};
  const parallel = choice['disable_parallel_tool_use'] !== true;
  switch (choice['type']) {
    case 'none':
      return { mode: 'none', parallel };
    case 'any':
      return { mode: 'required', parallel };
    case 'tool':
      return { mode: 'required', only: [textOf(choice['name'])], parallel };
    default:
      return { mode: 'auto', parallel };
  }
}

function jsonOf(body: JsonObject): Pick<Ask, 'json'> {
  const format = objectOf(objectOf(body['output_config'])?.['format'] ?? body['output_format']);
  return format?.['type'] === 'json_schema' ? { json: { schema: format['schema'] } } : {};
}

export interface SourceDocument {
  title: string | null;
  /** Empty if it is not plain text. */
  text: string;
  cites: boolean;
}

/** The documents of the conversation in order, because citations refer to them by index. */
export function documentsOf(body: JsonObject): SourceDocument[] {
  return objectsOf(body['messages'])
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === 'document')
    .map((block) => {
      const source = objectOf(block['source']) ?? {};
      return {
        title: textOf(block['title']) || null,
        text: source['type'] === 'text' ? textOf(source['data']) : '',
        cites: objectOf(block['citations'])?.['enabled'] === true,
      };
    });
}

export function countMessages(body: JsonObject): InputCount {
  let text = TOKENS_PER_REQUEST;
  for (const tool of arrayOf(body['tools'])) text += countJson(tool);
  if (body['system'] !== undefined) text += TOKENS_PER_MESSAGE;
  for (const block of blocksOf(body['system'])) text += countBlock(block);
  for (const { content } of objectsOf(body['messages'])) {
    text += TOKENS_PER_MESSAGE;
    for (const block of blocksOf(content)) text += countBlock(block);
  }
  return { text, audio: 0 };
}

export function countBlock(block: JsonObject): number {
  switch (block['type']) {
    case 'text':
    case 'thinking':
      return countTokens(textOf(block[block['type']]));
    case 'image':
      return countImage();
    case 'document': {
      const source = objectOf(block['source']) ?? {};
      const inner = blocksOf(source['content']).reduce((sum, one) => sum + countBlock(one), 0);
      const whole = ['data', 'url', 'file_id'].map((name) => countTokens(textOf(source[name])));
      return inner + whole.reduce((sum, one) => sum + one, 0);
    }
    case 'tool_result':
      return blocksOf(block['content']).reduce((sum, one) => sum + countBlock(one), 0);
    default:
      return countJson(without(block, ['cache_control']));
  }
}

/** Where a conversation is compacted if the request names no trigger. */
const TRIGGER_TOKENS = 150_000;

/**
 * Whether the context is summarised: `alone` is a request for the summary only, `before` one whose input
 * has reached the trigger.
 */
export function compactionOf(
  body: JsonObject,
  inputTokens: number,
): 'alone' | 'before' | undefined {
  if (objectOf(body['compaction']) !== undefined) return 'alone';
  const edits = objectsOf(objectOf(body['context_management'])?.['edits']);
  const edit = edits.find(({ type }) => type === 'compact_20260112');
  if (edit === undefined) return undefined;
  const trigger = countOf(objectOf(edit['trigger'])?.['value']) ?? TRIGGER_TOKENS;
  return inputTokens >= trigger ? 'before' : undefined;
}
