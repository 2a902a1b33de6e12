// Requests that OpenAI's Responses API refuses with 400, and the conversation that a request
// continues.

import { textOf, type JsonObject } from '../../json';
import { invalid, isProblem, type Call, type Problem } from '../../reply';
import { open, seal } from '../../seal';
import { conversationAsked } from './conversations';
import { itemsOf } from './request';

const PURPOSE = 'openai reasoning';

/** Encrypted reasoning is bound to the key it was made for. */
export function sealReasoning(apiKey: string, id: string): string {
  return seal(PURPOSE, `${apiKey}\0${id}`);
}

/** Earlier items and the input, or the reason for a refusal. */
export function conversationOf(call: Call): { items: JsonObject[] } | Problem {
  const { background, store } = call.body;
  if (background === true && store === false) {
    return invalid("Invalid value: 'background' requires 'store' to be true.", 'background');
  }
  const before = earlierItems(call);
  if (isRefusal(before)) return before;
  const input = referredItems(call);
  if (isRefusal(input)) return input;
  if (input.length === 0 && before.length === 0) {
    return invalid("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  }
  const items = [...before, ...input];
  return checkItems(items, call.apiKey) ?? { items };
}

/** The input, with the stored items in place of the references to them. */
function referredItems({ apiKey, body, memory }: Call): JsonObject[] | Problem {
  const items: JsonObject[] = [];
  for (const item of itemsOf(body['input'])) {
    const known = isReference(item) ? memory.items.get(`${apiKey} ${textOf(item['id'])}`) : item;
    if (known === undefined) {
      const message = `Item with id '${textOf(item['id'])}' not found.`;
      return { status: 404, code: null, message };
    }
    items.push(known);
  }
  return items;
}

function isReference({ type, role }: JsonObject): boolean {
  return type === 'item_reference' || (type === undefined && role === undefined);
}

function isRefusal(value: JsonObject[] | Problem): value is Problem {
  return !Array.isArray(value) && isProblem(value);
}

function earlierItems(call: Call): JsonObject[] | Problem {
  const { apiKey, body, memory } = call;
  const id = body['previous_response_id'];
  const conversation = conversationAsked(call);
  if (conversation !== undefined && id !== undefined && id !== null) {
    return invalid(
      "'previous_response_id' and 'conversation' are mutually exclusive.",
      'previous_response_id',
      'mutually_exclusive_parameters',
    );
  }
  if (conversation !== undefined) {
    return isProblem(conversation) ? conversation : conversation.items;
  }
  if (id === undefined || id === null) return [];
  const known = memory.responses.get(`${apiKey} ${textOf(id)}`);
  if (known !== undefined) return known.items;
  return invalid(
    `Previous response with id '${textOf(id)}' not found.`,
    'previous_response_id',
    'previous_response_not_found',
  );
}

function checkItems(items: JsonObject[], apiKey: string): Problem | undefined {
  const calls = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    switch (item['type']) {
      case 'function_call':
      case 'custom_tool_call':
        calls.add(item['call_id']);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (calls.has(item['call_id'])) break;
        return invalid(
          `No tool call found for function call output with call_id ${textOf(item['call_id'])}.`,
          'input',
        );
      case 'reasoning': {
        const problem = checkReasoning(item, apiKey, at);
        if (problem !== undefined) return problem;
        break;
      }
      default:
    }
  }
  const answered = new Set(items.map(outputOf));
  const open = [...calls].find((id) => !answered.has(id));
  return open === undefined
    ? undefined
    : invalid(`No tool output found for function call ${textOf(open)}.`, 'input');
}

function outputOf(item: JsonObject): unknown {
  const isOutput = textOf(item['type']).endsWith('_call_output');
  return isOutput ? item['call_id'] : undefined;
}

function checkReasoning(item: JsonObject, apiKey: string, at: number): Problem | undefined {
  const sealed = textOf(item['encrypted_content']);
  if (sealed === '') return undefined;
  const owner = open(PURPOSE, sealed)?.split('\0')[0];
  if (owner === apiKey) return undefined;
  const reason =
    owner === undefined
      ? 'Encrypted content could not be decrypted or parsed.'
      : 'Encrypted content organization_id did not match the target organization.';
  return invalid(
    `The encrypted content for item ${textOf(item['id'])} could not be verified. Reason: ${reason}`,
    `input[${at}].encrypted_content`,
    'invalid_encrypted_content',
  );
}
