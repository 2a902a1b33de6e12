// The output items of a response: each complete, in its initial state, and as the stream events in
// between.

import { SOURCE, THOUGHT, type Answer, type ToolCall } from '../../answer';
import type { JsonObject } from '../../json';

/** An event inside an item, without its position. `tokens` are generated for it. */
export interface Step {
  type: string;
  fields: JsonObject;
  tokens: 0 | 1;
}

export interface Item {
  whole: JsonObject;
  start: JsonObject;
  steps: Step[];
}

export interface Manner {
  id: string;
  /** Reasoning is shown as a summary, in full as vLLM does, or not at all. */
  thoughts: 'summary' | 'text' | 'hidden';
  /** Encrypted reasoning, if requested. */
  sealed: string | undefined;
  search: string;
  searches: number;
  /** Whether the URLs of all found pages are included. */
  sources: boolean;
  /** The number of code runs. */
  runs: number;
  logprobs: boolean;
}

export function itemsFor(answer: Answer, manner: Manner): Item[] {
  const status = answer.finishReason === 'length' ? 'incomplete' : 'completed';
  const items: Item[] = [];
  if (answer.reasoningTokens > 0) items.push(reasoningItem(answer.reasoningTokens, manner));
  for (let at = 0; at < manner.searches; at++) {
    items.push(searchItem(`${manner.id}${at === 0 ? '' : `_${at}`}`, manner));
  }
  for (let at = 0; at < manner.runs; at++) items.push(runItem(manner.id, at));
  if (answer.calls.length === 0) items.push(messageItem(answer, manner, status));
  for (const call of answer.calls) items.push(callItem(call, status));
  return items;
}

function steps(type: string, pieces: string[], fields: JsonObject): Step[] {
  return pieces.map((delta) => ({ type, fields: { ...fields, delta }, tokens: 1 }));
}

function step(type: string, fields: JsonObject): Step {
  return { type, fields, tokens: 0 };
}

function reasoningItem(tokens: number, { id, sealed, thoughts }: Manner): Item {
  const text = THOUGHT.repeat(tokens);
  const pieces = Array.from({ length: tokens }, () => THOUGHT);
  const head = {
    id: `rs_${id}`,
    type: 'reasoning',
    ...(sealed === undefined ? {} : { encrypted_content: sealed }),
  };
  if (thoughts === 'hidden') {
    const whole = { ...head, summary: [] };
    const unseen: Step[] = pieces.map(() => ({ type: '', fields: {}, tokens: 1 }));
    return { whole, start: whole, steps: unseen };
  }
  if (thoughts === 'text') {
    const content = { content_index: 0 };
    const part = { type: 'reasoning_text', text };
    return {
      whole: { ...head, summary: [], content: [part], status: 'completed' },
      start: { ...head, summary: [], content: [], status: 'in_progress' },
      steps: [
        step('response.content_part.added', { ...content, part: { ...part, text: '' } }),
        ...steps('response.reasoning_text.delta', pieces, content),
        step('response.reasoning_text.done', { ...content, text }),
        step('response.content_part.done', { ...content, part }),
      ],
    };
  }
  const place = { summary_index: 0 };
  const part = { type: 'summary_text', text };
  return {
    whole: { ...head, summary: [part] },
    start: { ...head, summary: [] },
    steps: [
      step('response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }),
      ...steps('response.reasoning_summary_text.delta', pieces, place),
      step('response.reasoning_summary_text.done', { ...place, text }),
      step('response.reasoning_summary_part.done', { ...place, part }),
    ],
  };
}

function runItem(id: string, at: number): Item {
  const head = {
    id: `ci_${id}_${at}`,
    type: 'code_interpreter_call',
    container_id: `cntr_${id}`,
    code: 'print(2)',
    outputs: null,
  };
  return {
    whole: { ...head, status: 'completed' },
    start: { ...head, status: 'in_progress' },
    steps: [
      step('response.code_interpreter_call.in_progress', {}),
      step('response.code_interpreter_call.interpreting', {}),
      step('response.code_interpreter_call.completed', {}),
    ],
  };
}

function searchItem(id: string, { search: query, sources }: Manner): Item {
  const found = sources ? { sources: [{ type: 'url', url: SOURCE.url }] } : {};
  const action = { type: 'search', query, queries: [query], ...found };
  const head = { id: `ws_${id}`, type: 'web_search_call', action };
  return {
    whole: { ...head, status: 'completed' },
    start: { ...head, status: 'in_progress' },
    steps: [
      step('response.web_search_call.in_progress', {}),
      step('response.web_search_call.searching', {}),
      step('response.web_search_call.completed', {}),
    ],
  };
}

function messageItem(answer: Answer, { id, logprobs }: Manner, status: string): Item {
  const text = answer.pieces.join('');
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant' };
  const content = { content_index: 0 };
  const start = { ...head, status: 'in_progress', content: [] };
  if (answer.refusal) {
    const part = { type: 'refusal', refusal: text };
    return {
      whole: { ...head, status, content: [part] },
      start,
      steps: [
        step('response.content_part.added', { ...content, part: { ...part, refusal: '' } }),
        ...steps('response.refusal.delta', answer.pieces, content),
        step('response.refusal.done', { ...content, refusal: text }),
        step('response.content_part.done', { ...content, part }),
      ],
    };
  }
  const end_index = Array.from(text).length;
  const annotations = answer.cites
    ? [{ type: 'url_citation', start_index: 0, end_index, ...SOURCE }]
    : [];
  const said = (pieces: string[]): JsonObject[] => (logprobs ? pieces.map(logprobOf) : []);
  const part = { type: 'output_text', text, annotations, logprobs: said(answer.pieces) };
  return {
    whole: { ...head, status, content: [part] },
    start,
    steps: [
      step('response.content_part.added', {
        ...content,
        part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
      }),
      ...answer.pieces.map<Step>((delta) => ({
        type: 'response.output_text.delta',
        fields: { ...content, delta, logprobs: said([delta]) },
        tokens: 1,
      })),
      ...annotations.map((annotation, annotation_index) =>
        step('response.output_text.annotation.added', { ...content, annotation_index, annotation }),
      ),
      step('response.output_text.done', { ...content, text, logprobs: said(answer.pieces) }),
      step('response.content_part.done', { ...content, part }),
    ],
  };
}

function logprobOf(token: string): JsonObject {
  return { token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] };
}

function callItem({ key, kind, name, pieces }: ToolCall, status: string): Item {
  const text = pieces.join('');
  const call_id = `call_${key}`;
  if (kind === 'custom') {
    const head = { id: `ctc_${key}`, type: 'custom_tool_call', call_id, name };
    return {
      whole: { ...head, input: text, status },
      start: { ...head, input: '', status: 'in_progress' },
      steps: [
        ...steps('response.custom_tool_call_input.delta', pieces, {}),
        step('response.custom_tool_call_input.done', { input: text }),
      ],
    };
  }
  const head = { id: `fc_${key}`, type: 'function_call', call_id, name };
  return {
    whole: { ...head, arguments: text, status },
    start: { ...head, arguments: '', status: 'in_progress' },
    steps: [
      ...steps('response.function_call_arguments.delta', pieces, {}),
      step('response.function_call_arguments.done', { name, arguments: text }),
    ],
  };
}
