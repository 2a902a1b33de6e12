// OpenAI chat completions: decodes a request and counts its tokens.

import type { Ask, Tool } from '../../ask';
import {
  arrayOf,
  countOf,
  objectOf,
  objectsOf,
  textOf,
  without,
  type JsonObject,
} from '../../json';
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

export function readChat(body: JsonObject): Ask {
  const format = objectOf(body['response_format']);
  const effort = body['reasoning_effort'];
  const template = objectOf(body['chat_template_kwargs']);
  return {
    said: lastMessage(body),
    tools: objectsOf(body['tools']).map(readTool),
    choice: readChoice(body),
    ...jsonOf(format),
    stops: textsIn(body['stop']),
    bound: countOf(body['max_completion_tokens']) ?? countOf(body['max_tokens']),
    thinks:
      (typeof effort === 'string' && effort !== 'none') || template?.['enable_thinking'] === true,
    cites: objectOf(body['web_search_options']) !== undefined,
    choices: Math.max(1, countOf(body['n']) ?? 1),
    params: without(body, ['messages']),
    count: countChat(body),
  };
}

export function textsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : arrayOf(value).map(textOf);
}

function jsonOf(format: JsonObject | undefined): Pick<Ask, 'json'> {
  switch (format?.['type']) {
    case 'json_schema':
      return { json: { schema: objectOf(format['json_schema'])?.['schema'] } };
    case 'json_object':
      return { json: { schema: undefined } };
    default:
      return {};
  }
}

/** The results of the last turn are joined; a user message after them starts no new turn. */
function lastMessage(body: JsonObject): Ask['said'] {
  const messages = objectsOf(body['messages']);
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(answered + 1).filter(({ role }) => role === 'tool');
  if (results.length > 0) {
    return { by: 'tool', text: results.map(({ content }) => contentText(content)).join(' ') };
  }
  const { content, role } = messages.findLast((one) => !instructs(one)) ?? messages.at(-1) ?? {};
  return { by: role === 'user' ? 'user' : 'other', text: contentText(content) };
}

/** Instructions within the conversation are not answered. */
export function instructs({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer';
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = objectsOf(content).map((part) => textOf(part['text']));
  return parts.filter((part) => part).join(' ');
}

function readTool(tool: JsonObject): Tool {
  const custom = objectOf(tool['custom']);
  const declared = custom ?? objectOf(tool['function']) ?? {};
  return {
    name: textOf(declared['name']),
    kind: custom ? 'custom' : 'function',
    parameters: declared['parameters'] ?? {},
  };
}

function readChoice(body: JsonObject): Ask['choice'] {
  const parallel = body['parallel_tool_calls'] !== false;
  const choice = body['tool_choice'];
  if (choice === 'none' || choice === 'required') return { mode: choice, parallel };
  const forced = objectOf(choice);
  const name = objectOf(forced?.['function'] ?? forced?.['custom'])?.['name'];
  if (name !== undefined) return { mode: 'required', only: [textOf(name)], parallel };
  const allowed = objectOf(forced?.['allowed_tools']);
  if (allowed === undefined) return { mode: 'auto', parallel };
  const only = objectsOf(allowed['tools']).map((tool) => readTool(tool).name);
  return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', only, parallel };
}

export function countChat(body: JsonObject): InputCount {
  const count: InputCount = { text: TOKENS_PER_REQUEST, audio: 0 };
  for (const message of objectsOf(body['messages'])) countMessage(message, count);
  for (const tool of arrayOf(body['tools'])) count.text += countJson(tool);
  return count;
}

function countMessage(message: JsonObject, count: InputCount): void {
  count.text += TOKENS_PER_MESSAGE;
  if (typeof message['content'] === 'string') count.text += countTokens(message['content']);
  else for (const part of objectsOf(message['content'])) countPart(part, count);
  count.text += countJson(message['tool_calls']);
}

/** What the cache compares: the schema of the answer and the tools come before the conversation. */
export function chatPrompt(body: JsonObject): PromptPart[] {
  const format = JSON.stringify(body['response_format'] ?? null);
  return [
    { text: format, tokens: TOKENS_PER_REQUEST },
    ...arrayOf(body['tools']).map((tool) => ({
      text: JSON.stringify(tool),
      tokens: countJson(tool),
    })),
    ...objectsOf(body['messages']).map((message) => {
      const count: InputCount = { text: 0, audio: 0 };
      countMessage(message, count);
      return { text: JSON.stringify(message), tokens: count.text };
    }),
  ];
}

function countPart(part: JsonObject, count: InputCount): void {
  switch (part['type']) {
    case 'text':
    case 'refusal':
      count.text += countTokens(textOf(part[part['type']]));
      return;
    case 'image_url':
      count.text += countImage(objectOf(part['image_url'])?.['detail']);
      return;
    case 'input_audio':
      count.audio += countSound(textOf(objectOf(part['input_audio'])?.['data']));
      return;
    case 'file': {
      const file = objectOf(part['file']) ?? {};
      count.text += countTokens(textOf(file['file_data']) || textOf(file['file_id']));
      return;
    }
    default:
      count.text += countJson(part);
  }
}
