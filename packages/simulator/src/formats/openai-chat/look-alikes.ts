// Chunks of servers that imitate OpenAI's chat format with deviations: Groq, DeepSeek, Mistral,
// xAI, Moonshot, Azure, and the compatible endpoints of Gemini and Anthropic. Each deviation is a
// directive; a chunk is first made as OpenAI's and then changed.

import type { BilledUsage } from '../../bill';
import type { Directives } from '../../directives';
import { arrayOf, objectOf, objectsOf, type JsonObject } from '../../json';
import type { Frame } from '../../reply';
import { chatUsage } from './usage';

/** Directives that send usage inside a chunk with choices instead of its own chunk. */
const USAGE_WAYS = ['usage-with-finish', 'usage-running', 'usage-in-choice', 'x-groq'] as const;

/** Changes to one chunk, in this order. */
const CHANGES = {
  'repeat-role': (chunk) => eachDelta(chunk, (delta) => ({ role: 'assistant', ...delta })),
  parts: (chunk) => eachDelta(chunk, inParts),
  'one-index': (chunk) => eachDelta(chunk, withOneIndex),
  'bare-finish': (chunk) => eachChoice(chunk, withoutEmptyDelta),
} as const satisfies Partial<Record<keyof Directives, (chunk: JsonObject) => JsonObject>>;

export function tellsUsageAmongChoices(directives: Directives): boolean {
  return USAGE_WAYS.some((way) => directives[way]);
}

/** `usage` gets the tokens generated so far; undefined leaves usage out. */
export function* likeOthers(
  frames: Iterable<Frame>,
  directives: Directives,
  usage: (generated: number) => BilledUsage | undefined,
): Generator<Frame> {
  if (directives['prompt-filter']) yield { text: PROMPT_FILTER, tokens: 0 };
  const changes = Object.entries(CHANGES).flatMap(([name, change]) =>
    directives[name as keyof typeof CHANGES] ? [change] : [],
  );
  if (changes.length === 0 && !tellsUsageAmongChoices(directives)) return yield* frames;
  let generated = 0;
  for (const frame of frames) {
    generated += frame.tokens;
    let chunk = JSON.parse(String(frame.text).slice('data: '.length)) as JsonObject;
    for (const change of changes) chunk = change(chunk);
    const counted = usage(generated);
    if (counted) chunk = withUsage(chunk, directives, chatUsage(counted));
    yield { ...frame, text: `data: ${JSON.stringify(chunk)}\n\n` };
  }
}

function withUsage(chunk: JsonObject, directives: Directives, usage: JsonObject): JsonObject {
  if (directives['usage-running']) return { ...chunk, usage };
  const finished = objectsOf(chunk['choices']).some((choice) => choice['finish_reason'] !== null);
  if (!finished) return chunk;
  if (directives['usage-with-finish']) return { ...chunk, usage };
  if (directives['usage-in-choice']) return eachChoice(chunk, (choice) => ({ ...choice, usage }));
  // Groq adds times to its counts.
  const timed = { queue_time: 0.04, prompt_time: 0.004, total_time: 0.2, ...usage };
  return directives['x-groq'] ? { ...chunk, x_groq: { id: 'req_sim', usage: timed } } : chunk;
}

function eachChoice(chunk: JsonObject, change: (choice: JsonObject) => JsonObject): JsonObject {
  return { ...chunk, choices: objectsOf(chunk['choices']).map(change) };
}

function eachDelta(chunk: JsonObject, change: (delta: JsonObject) => JsonObject): JsonObject {
  return eachChoice(chunk, (choice) => ({
    ...choice,
    delta: change(objectOf(choice['delta']) ?? {}),
  }));
}

/** Mistral: thinking and text are parts of the content. */
function inParts({ reasoning_content: thought, ...delta }: JsonObject): JsonObject {
  if (typeof thought === 'string') {
    const thinking = [{ type: 'text', text: thought }];
    return { ...delta, content: [{ type: 'thinking', thinking }] };
  }
  const { content } = delta;
  return typeof content === 'string' && content !== ''
    ? { ...delta, content: [{ type: 'text', text: content }] }
    : delta;
}

/** Gemini: every call has the index 0, and a new id starts a new call. */
function withOneIndex(delta: JsonObject): JsonObject {
  const calls = arrayOf(delta['tool_calls']);
  if (calls.length === 0) return delta;
  return { ...delta, tool_calls: calls.map((call) => ({ ...objectOf(call), index: 0 })) };
}

/** Azure and others: the chunk with the finish reason has no delta. */
function withoutEmptyDelta({ delta, ...choice }: JsonObject): JsonObject {
  const empty = Object.keys(objectOf(delta) ?? {}).length === 0;
  return empty && choice['finish_reason'] !== null ? choice : { ...choice, delta };
}

const SAFE = Object.fromEntries(
  ['hate', 'self_harm', 'sexual', 'violence'].map((kind) => [
    kind,
    { filtered: false, severity: 'safe' },
  ]),
);

/** Azure: the prompt's filter results, in a chunk without id and model. */
const PROMPT_FILTER = `data: ${JSON.stringify({
  choices: [],
  created: 0,
  id: '',
  model: '',
  object: '',
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: SAFE }],
})}\n\n`;
