// Streams of answers that say "before … after", or call a tool with {"q":"…"}, in pieces that a test gives; or
// that say just the pieces.

import type { ServerResponse } from 'node:http';
import type { Candidate } from '@tollgate/contracts/node';

import { parseEventObject, readEvent } from '../../formats/sse';
import { MODEL } from '../../test-support/harness';

type Kind = 'text' | 'arguments' | 'bare text';

export interface StreamCase {
  readonly name: string;
  readonly path: string;
  readonly request: object;
  readonly upstream: Candidate;
  readonly script: (res: ServerResponse, kind: Kind, pieces: readonly string[]) => void;
  /** What the client reads. */
  readonly read: (received: string, kind: Kind) => string;
}

const messages = [{ role: 'user', content: 'Hi' }];
const CHAT = { model: MODEL, messages, max_tokens: 10, stream: true };
const GENERATE = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };

const OPENAI: Candidate = { providerType: 'PROVIDER_A', upstreamFormat: 'openai' };
const ANTHROPIC: Candidate = { providerType: 'PROVIDER_B', upstreamFormat: 'anthropic' };
const GEMINI: Candidate = { providerType: 'PROVIDER_C', upstreamFormat: 'gemini' };

const isText = (kind: Kind): boolean => kind !== 'arguments';

function around(kind: Kind, pieces: readonly string[]): readonly string[] {
  if (kind === 'bare text') return pieces;
  const [before, after] = kind === 'text' ? ['before ', ' after'] : ['{"q":"', '"}'];
  return [before, ...pieces, after];
}

function open(res: ServerResponse): (event: object, type?: string) => void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  return (event, type) => {
    res.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`);
  };
}

const chatScript: StreamCase['script'] = (res, kind, pieces) => {
  const send = open(res);
  const common = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'up' };
  const chunk = (delta: object, finish: string | null = null): void =>
    send({ ...common, choices: [{ index: 0, delta, finish_reason: finish }] });
  chunk({ role: 'assistant', content: '' });
  for (const [at, text] of around(kind, pieces).entries()) {
    const named = at === 0 ? { id: 'call_1', type: 'function' } : {};
    const call = {
      index: 0,
      ...named,
      function: { ...(at === 0 ? { name: 'find' } : {}), arguments: text },
    };
    chunk(isText(kind) ? { content: text } : { tool_calls: [call] });
  }
  chunk({}, isText(kind) ? 'stop' : 'tool_calls');
  send({
    ...common,
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  });
  res.end('data: [DONE]\n\n');
};

const messagesScript: StreamCase['script'] = (res, kind, pieces) => {
  const send = open(res);
  const event = (type: string, fields: object): void => send({ type, ...fields }, type);
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content: [] };
  event('message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } });
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} };
  event('content_block_start', {
    index: 0,
    content_block: isText(kind) ? { type: 'text', text: '' } : tool,
  });
  for (const text of around(kind, pieces)) {
    const delta = isText(kind)
      ? { type: 'text_delta', text }
      : { type: 'input_json_delta', partial_json: text };
    event('content_block_delta', { index: 0, delta });
  }
  event('content_block_stop', { index: 0 });
  event('message_delta', {
    delta: { stop_reason: isText(kind) ? 'end_turn' : 'tool_use', stop_sequence: null },
    usage: { output_tokens: 5 },
  });
  event('message_stop', {});
  res.end();
};

const generateScript: StreamCase['script'] = (res, kind, pieces) => {
  const send = open(res);
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 };
  const texts = around(kind, pieces);
  // The vendor sends a call whole.
  const call =
    kind === 'arguments' ? { name: 'find', args: JSON.parse(texts.join('')) as object } : undefined;
  const parts = call ? [[{ functionCall: call }]] : texts.map((text) => [{ text }]);
  for (const [at, some] of parts.entries()) {
    const last = at === parts.length - 1 ? { finishReason: 'STOP' } : {};
    send({
      candidates: [{ index: 0, content: { role: 'model', parts: some }, ...last }],
      usageMetadata,
      modelVersion: 'up',
      responseId: 'r1',
    });
  }
  res.end();
};

const responsesScript: StreamCase['script'] = (res, kind, pieces) => {
  const send = open(res);
  let number = 0;
  const event = (type: string, fields: object): void => {
    send({ type, sequence_number: number, ...fields }, type);
    number += 1;
  };
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'up',
    status: 'in_progress',
    output: [] as object[],
  };
  event('response.created', { response });
  const texts = around(kind, pieces);
  const whole = texts.join('');
  const at = { output_index: 0, item_id: 'item_1' };
  if (isText(kind)) {
    const item = {
      id: 'item_1',
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    const part = { type: 'output_text', text: '', annotations: [] };
    event('response.output_item.added', { output_index: 0, item });
    event('response.content_part.added', { ...at, content_index: 0, part });
    for (const delta of texts)
      event('response.output_text.delta', {
        ...at,
        content_index: 0,
        delta,
        logprobs: [{ token: delta, logprob: -1 }],
      });
    const done = { ...part, text: whole };
    event('response.output_text.done', {
      ...at,
      content_index: 0,
      text: whole,
      logprobs: [{ token: whole, logprob: -1 }],
    });
    event('response.content_part.done', { ...at, content_index: 0, part: done });
    const full = { ...item, status: 'completed', content: [done] };
    event('response.output_item.done', { output_index: 0, item: full });
    response.output = [full];
  } else {
    const item = {
      id: 'item_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'find',
      status: 'in_progress',
      arguments: '',
    };
    event('response.output_item.added', { output_index: 0, item });
    for (const delta of texts) event('response.function_call_arguments.delta', { ...at, delta });
    event('response.function_call_arguments.done', { ...at, name: 'find', arguments: whole });
    const full = { ...item, status: 'completed', arguments: whole };
    event('response.output_item.done', { output_index: 0, item: full });
    response.output = [full];
  }
  const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
  event('response.completed', { response: { ...response, status: 'completed', usage } });
  res.end();
};

/** The texts of all events, by what each format adds. */
function saidIn(events: readonly Record<string, unknown>[], kind: Kind): string {
  return events.map((event) => pieceIn(event, kind)).join('');
}

interface AnyEvent {
  type?: string;
  delta?: string | { text?: string; partial_json?: string };
  content_block?: { input?: object };
  choices?: {
    delta?: { content?: string; tool_calls?: { function: { arguments: string } }[] };
    text?: string;
  }[];
  candidates?: { content?: { parts?: { text?: string; functionCall?: { args: object } }[] } }[];
}

function pieceIn(given: Record<string, unknown>, kind: Kind): string {
  const { candidates = [], choices = [], delta, type = '' } = given as AnyEvent;
  const ofText = isText(kind);
  if (typeof delta === 'string') {
    return type ===
      (ofText ? 'response.output_text.delta' : 'response.function_call_arguments.delta')
      ? delta
      : '';
  }
  const chosen = choices.map((choice) =>
    ofText
      ? (choice.delta?.content ?? choice.text ?? '')
      : (choice.delta?.tool_calls ?? []).map((call) => call.function.arguments).join(''),
  );
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const generated = parts.map((part) =>
    ofText ? (part.text ?? '') : part.functionCall ? JSON.stringify(part.functionCall.args) : '',
  );
  const block = ofText ? (delta?.text ?? '') : (delta?.partial_json ?? '');
  return chosen.join('') + generated.join('') + block;
}

const readSse: StreamCase['read'] = (received, kind) => {
  const events = received.split('\n\n').flatMap((text) => {
    const event = parseEventObject(readEvent(text).data ?? '');
    return event ? [event] : [];
  });
  return saidIn(events, kind);
};

const readArray: StreamCase['read'] = (received, kind) =>
  saidIn(JSON.parse(received) as Record<string, unknown>[], kind);

const generatePath = `/v1beta/models/${MODEL}:streamGenerateContent`;
const CLIENTS = [
  { client: 'openai-chat', path: '/v1/chat/completions', request: CHAT, read: readSse },
  { client: 'unified', path: '/v1/llm/chat', request: CHAT, read: readSse },
  { client: 'anthropic-messages', path: '/v1/messages', request: CHAT, read: readSse },
  {
    client: 'openai-responses',
    path: '/v1/responses',
    request: { model: MODEL, input: 'Hi', stream: true },
    read: readSse,
  },
  { client: 'gemini-generate', path: `${generatePath}?alt=sse`, request: GENERATE, read: readSse },
  { client: 'gemini-generate-array', path: generatePath, request: GENERATE, read: readArray },
];
const UPSTREAMS = [
  { format: 'openai', upstream: { ...OPENAI, providerType: 'CUSTOM' }, script: chatScript },
  { format: 'anthropic', upstream: ANTHROPIC, script: messagesScript },
  { format: 'gemini', upstream: GEMINI, script: generateScript },
];

/** Every client's format with every upstream's. */
export const STREAMS: readonly StreamCase[] = [
  ...CLIENTS.flatMap(({ client, ...rest }) =>
    UPSTREAMS.map(({ format, ...own }) => ({ name: `${client} from ${format}`, ...rest, ...own })),
  ),
  {
    name: 'openai-responses from openai-responses',
    path: '/v1/responses',
    request: { model: MODEL, input: 'Hi', stream: true },
    read: readSse,
    upstream: OPENAI,
    script: responsesScript,
  },
];
