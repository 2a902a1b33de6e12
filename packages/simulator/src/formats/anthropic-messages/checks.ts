// Requests that Anthropic refuses with 400: missing fields, parameters that exclude thinking, empty
// texts, thinking and searches that it did not make, and tool results without a call.

import { arrayOf, countOf, objectOf, objectsOf, textOf, type JsonObject } from '../../json';
import { invalid, type Problem } from '../../reply';
import { open, sign } from '../../seal';
import { blocksOf } from './request';

const THOUGHT_PURPOSE = 'anthropic thinking';
const REDACTED_PURPOSE = 'anthropic redacted thinking';

/** A signature is valid for its own text only. */
export function signatureOf(thinking: string): string {
  return sign(THOUGHT_PURPOSE, thinking);
}

export const redactedPurpose = REDACTED_PURPOSE;

/** The seals of a search result, and of the position that a citation names. */
export const FOUND_SEAL = 'c291cmNl';
export const PLACE_SEAL = 'MQ==';

export function checkMessages(body: JsonObject): Problem | undefined {
  if (arrayOf(body['messages']).length === 0) {
    return invalid('at least one message is required', 'messages');
  }
  const bound = countOf(body['max_tokens']);
  if (bound === undefined || bound === 0) return invalid('Field required', 'max_tokens');
  return checkTools(body) ?? checkSampling(body, bound) ?? checkConversation(body);
}

function checkTools(body: JsonObject): Problem | undefined {
  const tools = objectsOf(body['tools']);
  const names = tools.map(({ name }) => textOf(name)).filter((name) => name !== '');
  if (new Set(names).size < names.length) return invalid('tools: Tool names must be unique.');
  const both = tools.some((tool) => tool['allowed_domains'] && tool['blocked_domains']);
  return both
    ? invalid('tools: Only one of `allowed_domains` and `blocked_domains` may be given.')
    : undefined;
}

const LEAST_BUDGET = 1024;

function checkSampling(body: JsonObject, bound: number): Problem | undefined {
  const temperature = body['temperature'];
  if (typeof temperature === 'number' && temperature > 1) {
    return invalid('Input should be less than or equal to 1', 'temperature');
  }
  const thinking = objectOf(body['thinking']);
  if (thinking?.['type'] !== 'enabled') return undefined;
  const budget = countOf(thinking['budget_tokens']) ?? 0;
  if (budget < LEAST_BUDGET) {
    const message = `Input should be greater than or equal to ${LEAST_BUDGET}`;
    return invalid(message, 'thinking.enabled.budget_tokens');
  }
  if (budget >= bound) {
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (typeof temperature === 'number' && temperature !== 1) {
    return invalid('`temperature` may only be set to 1 when thinking is enabled.');
  }
  const choice = objectOf(body['tool_choice'])?.['type'];
  return choice === 'any' || choice === 'tool'
    ? invalid('Thinking may not be enabled when tool_choice forces tool use.')
    : undefined;
}

/** The checks that token counting runs too. */
export function checkConversation(body: JsonObject): Problem | undefined {
  const messages = objectsOf(body['messages']);
  for (const [at, message] of messages.entries()) {
    if (!['user', 'assistant', 'system'].includes(textOf(message['role']))) {
      return invalid("Input should be 'user' or 'assistant'", `messages.${at}.role`);
    }
    for (const [place, block] of blocksOf(message['content']).entries()) {
      const problem = checkBlock(block, `messages.${at}.content.${place}`);
      if (problem !== undefined) return problem;
    }
    const stray = strayResult(message, messages[at - 1]);
    if (stray !== undefined) {
      return invalid(
        `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        `messages.${at}.content`,
      );
    }
    const unanswered = unansweredCall(message, messages[at + 1]);
    if (unanswered !== undefined) {
      return invalid(
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered}.`,
        `messages.${at}`,
      );
    }
  }
  return checkToolTurn(body, messages);
}

function checkBlock(block: JsonObject, place: string): Problem | undefined {
  if (block['type'] === 'text' && textOf(block['text']) === '') {
    return invalid('text content blocks must be non-empty', 'messages');
  }
  if (block['type'] === 'thinking') {
    const known = signatureOf(textOf(block['thinking']));
    if (block['signature'] === known) return undefined;
    return invalid('Invalid `signature` in `thinking` block', place);
  }
  if (block['type'] === 'redacted_thinking') {
    if (open(REDACTED_PURPOSE, textOf(block['data'])) !== undefined) return undefined;
    return invalid('Invalid `data` in `redacted_thinking` block', place);
  }
  return checkSearch(block, place);
}

/** Search results and their citations return sealed and unchanged. */
function checkSearch(block: JsonObject, place: string): Problem | undefined {
  if (block['type'] === 'web_search_tool_result') {
    const found = objectsOf(block['content']);
    if (found.every(({ encrypted_content: seal }) => seal === FOUND_SEAL)) return undefined;
    return invalid('Invalid `encrypted_content` in `search_result` block', place);
  }
  const cited = objectsOf(block['citations']).filter(
    ({ type }) => type === 'web_search_result_location',
  );
  return cited.every(({ encrypted_index: seal }) => seal === PLACE_SEAL)
    ? undefined
    : invalid('Invalid `encrypted_index` in citation', place);
}

function strayResult(message: JsonObject, before: JsonObject | undefined): string | undefined {
  const calls = blocksOf(before?.['content']).filter(({ type }) => type === 'tool_use');
  const ids = new Set(calls.map(({ id }) => id));
  const results = blocksOf(message['content']).filter(({ type }) => type === 'tool_result');
  const stray = results.find(({ tool_use_id }) => !ids.has(tool_use_id));
  return stray && textOf(stray['tool_use_id']);
}

function unansweredCall(message: JsonObject, after: JsonObject | undefined): string | undefined {
  const results = blocksOf(after?.['content']).filter(({ type }) => type === 'tool_result');
  const ids = new Set(results.map(({ tool_use_id }) => tool_use_id));
  const calls = blocksOf(message['content']).filter(({ type }) => type === 'tool_use');
  const open = calls.find(({ id }) => !ids.has(id));
  return open && textOf(open['id']);
}

/** With thinking enabled, a turn that waits for tool results must start with its thinking. */
function checkToolTurn(body: JsonObject, messages: JsonObject[]): Problem | undefined {
  if (objectOf(body['thinking'])?.['type'] !== 'enabled') return undefined;
  const last = blocksOf(messages.at(-1)?.['content']);
  if (!last.some(({ type }) => type === 'tool_result')) return undefined;
  const at = messages.length - 2;
  const [first] = blocksOf(messages[at]?.['content']);
  const type = textOf(first?.['type']);
  if (type === 'thinking' || type === 'redacted_thinking') return undefined;
  return invalid(
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
    `messages.${at}.content.0.type`,
  );
}
