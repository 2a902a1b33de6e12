// OpenAI chat completions: the answer, unary and as frames.

import { SOURCE, THOUGHT, type Answer, type ToolCall } from '../../answer';
import type { BilledUsage } from '../../bill';
import type { Directives } from '../../directives';
import type { JsonObject } from '../../json';
import type { Frame } from '../../reply';
import { chatUsage } from './usage';

export interface Heading {
  id: string;
  createdS: number;
  model: string;
  /** The number of web searches to report. */
  searches?: number;
  /** The processing tier; absent: the request names none. */
  service_tier?: string;
}

export interface Manner {
  choices: number;
  logprobs: boolean;
}

export function logprobsOf(pieces: string[]): JsonObject {
  const content = pieces.map((token) => ({
    token,
    logprob: -0.1,
    bytes: [...Buffer.from(token)],
    top_logprobs: [],
  }));
  return { content, refusal: null };
}

function finishOf(answer: Answer): string {
  const usual = answer.finishReason === 'stop_sequence' ? 'stop' : answer.finishReason;
  return answer.finishWord ?? usual;
}

function annotationsOf(answer: Answer): JsonObject[] {
  const end_index = Array.from(answer.pieces.join('')).length;
  return [{ type: 'url_citation', url_citation: { start_index: 0, end_index, ...SOURCE } }];
}

export function wholeChat(
  { id, createdS, model, searches, service_tier }: Heading,
  answer: Answer,
  { choices, logprobs }: Manner,
  usage: BilledUsage | undefined,
): JsonObject {
  const text = answer.pieces.join('');
  const message = {
    role: 'assistant',
    content: answer.refusal || answer.calls.length > 0 ? null : text,
    refusal: answer.refusal ? text : null,
    ...(answer.cites ? { annotations: annotationsOf(answer) } : {}),
    ...(answer.reasoningTokens > 0
      ? { reasoning_content: THOUGHT.repeat(answer.reasoningTokens) }
      : {}),
    ...(answer.calls.length > 0 ? { tool_calls: answer.calls.map(wholeCall) } : {}),
  };
  return {
    id,
    object: 'chat.completion',
    created: createdS,
    model,
    choices: Array.from({ length: choices }, (_, index) => ({
      index,
      message,
      logprobs: logprobs ? logprobsOf(answer.pieces) : null,
      finish_reason: finishOf(answer),
    })),
    ...(usage === undefined ? {} : { usage: chatUsage(usage, searches) }),
    ...(service_tier === undefined ? {} : { service_tier }),
    system_fingerprint: 'fp_simulator',
  };
}

function wholeCall({ key, kind, name, pieces }: ToolCall): JsonObject {
  const id = `call_${key}`;
  const text = pieces.join('');
  return kind === 'custom'
    ? { id, type: 'custom', custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: text } };
}

/** The usage in each frame; undefined for none. Gets the tokens generated so far. */
export type UsageField = (generated: number) => JsonObject | null | undefined;

/** The frames of an answer up to the finish of each choice. */
export function* chatFrames(
  heading: Heading,
  answer: Answer,
  { choices, logprobs }: Manner,
  usageField: UsageField,
): Generator<Frame> {
  const head = headOf(heading);
  const indexes = Array.from({ length: choices }, (_, index) => index);
  let generated = 0;

  function* frames(tokens: 0 | 1, delta: string, finish = 'null', logprobs = 'null') {
    for (const index of indexes) {
      generated += tokens;
      const usage = usageField(generated);
      const tail = usage === undefined ? '' : `,"usage":${JSON.stringify(usage)}`;
      const choice = `{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finish}}`;
      yield { text: `${head}"choices":[${choice}]${tail}}\n\n`, tokens };
    }
  }

  yield* frames(0, '{"role":"assistant","content":"","refusal":null}');
  for (let thought = 0; thought < answer.reasoningTokens; thought++) {
    yield* frames(1, `{"reasoning_content":"${THOUGHT}"}`);
  }
  const field = answer.refusal ? 'refusal' : 'content';
  for (const piece of answer.pieces) {
    const said = logprobs ? JSON.stringify(logprobsOf([piece])) : 'null';
    yield* frames(1, `{"${field}":${JSON.stringify(piece)}}`, 'null', said);
  }
  if (answer.cites) yield* frames(0, JSON.stringify({ annotations: annotationsOf(answer) }));
  for (const [index, { key, kind, name, pieces }] of answer.calls.entries()) {
    const field = kind === 'custom' ? 'input' : 'arguments';
    const start = { index, id: `call_${key}`, type: kind, [kind]: { name, [field]: '' } };
    yield* frames(0, JSON.stringify({ tool_calls: [start] }));
    for (const piece of pieces) {
      yield* frames(1, JSON.stringify({ tool_calls: [{ index, [kind]: { [field]: piece } }] }));
    }
  }
  yield* frames(0, '{}', JSON.stringify(finishOf(answer)));
}

export function usageFrame(heading: Heading, usage: BilledUsage): string {
  return `${headOf(heading)}"choices":[],"usage":${JSON.stringify(chatUsage(usage, heading.searches))}}\n\n`;
}

export function lastFrame(directives: Directives): string {
  return directives['spaced-done'] ? 'data:  [DONE] \n\n' : 'data: [DONE]\n\n';
}

function headOf({ id, createdS, model, service_tier }: Heading): string {
  const fields = {
    id,
    object: 'chat.completion.chunk',
    created: createdS,
    model,
    ...(service_tier === undefined ? {} : { service_tier }),
    system_fingerprint: 'fp_simulator',
  };
  return `data: ${JSON.stringify(fields).slice(0, -1)},`;
}
