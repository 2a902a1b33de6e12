// OpenAI responses: decodes a request and counts its tokens, including earlier items.

import type { Ask, Tool } from '../../ask';
import { countOf, objectOf, objectsOf, textOf, without, type JsonObject } from '../../json';
import type { PromptPart } from '../../prompt-cache';
import {
  countImage,
  countJson,
  countSound,
  countTokens,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_REQUEST,
  type InputCount,
} from '../../tokens';
import { instructs, textsIn } from '../openai-chat/request';

/** The input as items; plain text is a message. */
export function itemsOf(input: unknown): JsonObject[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
}

/** `items` is the whole conversation: earlier items, then the input. */
export function readResponses(body: JsonObject, items: JsonObject[]): Ask {
  const effort = objectOf(body['reasoning'])?.['effort'];
  return {
    said: lastItem(items),
    tools: toolsOf(body, items).filter(isCallable).map(readTool),
    choice: readChoice(body),
    ...jsonOf(objectOf(objectOf(body['text'])?.['format'])),
    stops: textsIn(body['stop']),
    bound: countOf(body['max_output_tokens']),
    thinks: objectOf(body['reasoning']) !== undefined && effort !== 'none',
    cites: searches(body, items),
    choices: 1,
    params: without(body, ['input']),
    count: countResponses(body, items),
  };
}

function isCallable({ type }: JsonObject): boolean {
  return type === 'function' || type === 'custom';
}

/** Items of a conversation that add tools to those of the request. */
const ADDING_TOOLS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

function toolsOf(body: JsonObject, items: JsonObject[]): JsonObject[] {
  const added = items.filter(({ type }) => ADDING_TOOLS.has(type));
  return [body, ...added].flatMap(({ tools }) => objectsOf(tools));
}

export function searches(body: JsonObject, items: JsonObject[]): boolean {
  return toolsOf(body, items).some(({ type }) => textOf(type).startsWith('web_search'));
}

export function runsCode(body: JsonObject, items: JsonObject[]): boolean {
  return toolsOf(body, items).some(({ type }) => type === 'code_interpreter');
}

/** The results of the last turn are joined; a user message after them starts no new turn. */
function lastItem(items: JsonObject[]): Ask['said'] {
  const isResult = ({ type }: JsonObject): boolean =>
    type === 'function_call_output' || type === 'custom_tool_call_output';
  const isAdded = (item: JsonObject): boolean =>
    isResult(item) || instructs(item) || item['role'] === 'user';
  const results = items.slice(items.findLastIndex((item) => !isAdded(item)) + 1).filter(isResult);
  if (results.length > 0) {
    return { by: 'tool', text: results.map(({ output }) => contentText(output)).join(' ') };
  }
  const item = items.findLast((one) => !instructs(one)) ?? items.at(-1) ?? {};
  return { by: item['role'] === 'user' ? 'user' : 'other', text: contentText(item['content']) };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = objectsOf(content).map((part) => textOf(part['text']));
  return parts.filter((part) => part).join(' ');
}

function readTool(tool: JsonObject): Tool {
  return {
    name: textOf(tool['name']),
    kind: tool['type'] === 'custom' ? 'custom' : 'function',
    parameters: tool['parameters'] ?? {},
  };
}

function readChoice(body: JsonObject): Ask['choice'] {
  const parallel = body['parallel_tool_calls'] !== false;
  const choice = body['tool_choice'];
  if (choice === 'none' || choice === 'required') return { mode: choice, parallel };
  const forced = objectOf(choice);
  switch (forced?.['type']) {
    case 'function':
    case 'custom':
      return { mode: 'required', only: [textOf(forced['name'])], parallel };
    case 'allowed_tools': {
      const only = objectsOf(forced['tools']).map(({ name }) => textOf(name));
      return { mode: forced['mode'] === 'required' ? 'required' : 'auto', only, parallel };
    }
    default:
      return { mode: 'auto', parallel };
  }
}

function jsonOf(format: JsonObject | undefined): Pick<Ask, 'json'> {
  switch (format?.['type']) {
    case 'json_schema':
      return { json: { schema: format['schema'] } };
    case 'json_object':
      return { json: { schema: undefined } };
    default:
      return {};
  }
}

function countResponses(body: JsonObject, items: JsonObject[]): InputCount {
  const count: InputCount = { text: TOKENS_PER_REQUEST, audio: 0 };
  for (const tool of objectsOf(body['tools'])) count.text += countJson(tool);
  const instructions = body['instructions'];
  if (typeof instructions === 'string') {
    count.text += TOKENS_PER_MESSAGE + countTokens(instructions);
  }
  for (const item of items) countItem(item, count);
  return count;
}

/** What the cache compares: the schema of the answer and the tools come before the conversation. */
export function responsesPrompt(body: JsonObject, items: JsonObject[]): PromptPart[] {
  const instructions = textOf(body['instructions']);
  return [
    {
      text: JSON.stringify(objectOf(body['text'])?.['format'] ?? null),
      tokens: TOKENS_PER_REQUEST,
    },
    ...objectsOf(body['tools']).map((tool) => ({
      text: JSON.stringify(tool),
      tokens: countJson(tool),
    })),
    ...(instructions === ''
      ? []
      : [{ text: instructions, tokens: TOKENS_PER_MESSAGE + countTokens(instructions) }]),
    ...items.filter(isCounted).map((item) => {
      const count: InputCount = { text: 0, audio: 0 };
      countItem(item, count);
      // A stored item has an id, the same item sent by the client may have none.
      return { text: JSON.stringify(without(item, ['id', 'status'])), tokens: count.text };
    }),
  ];
}

/** Reasoning of earlier turns is not counted again. */
function isCounted({ type }: JsonObject): boolean {
  return type !== 'reasoning' && type !== 'item_reference';
}

function countItem(item: JsonObject, count: InputCount): void {
  const { type } = item;
  if (!isCounted(item)) return;
  count.text += TOKENS_PER_MESSAGE;
  const content = type === undefined || type === 'message' ? item['content'] : item['output'];
  if (typeof content === 'string') count.text += countTokens(content);
  else if (Array.isArray(content)) for (const part of objectsOf(content)) countPart(part, count);
  else count.text += countJson(without(item, ['id', 'status']));
}

function countPart(part: JsonObject, count: InputCount): void {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      count.text += countTokens(textOf(part['text']));
      return;
    case 'refusal':
      count.text += countTokens(textOf(part['refusal']));
      return;
    case 'input_image':
      count.text += countImage(part['detail']);
      return;
    case 'input_audio':
      count.audio += countSound(textOf(objectOf(part['input_audio'])?.['data']));
      return;
    case 'input_file': {
      const given = ['file_data', 'file_url', 'file_id'].map((name) => textOf(part[name]));
      count.text += countTokens(given.find((one) => one) ?? '');
      return;
    }
    default:
      count.text += countJson(part);
  }
}
