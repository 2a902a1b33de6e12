// Answers and streams that contain every kind of content, with matching requests.

import { emptyUsage } from '@tollgate/contracts';

import type { ReplyContext } from '../../format';
import type { JsonObject, NormalisedResponse, ReportedUsage, StreamEvent } from '../../normalised';
import { decodeRequest } from '../request';
import { createStreamEncoder } from '../stream-encoder';

export const asked: JsonObject = {
  model: 'chat',
  instructions: 'Be brief.',
  input: 'What is this?',
  tools: [
    { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' } },
    { type: 'custom', name: 'free' },
    { type: 'web_search' },
  ],
  tool_choice: { type: 'function', name: 'look' },
  parallel_tool_calls: false,
  max_output_tokens: 100,
  reasoning: { effort: 'low', summary: 'auto' },
  text: {
    format: { type: 'json_schema', name: 'a', schema: { type: 'object' } },
    verbosity: 'low',
  },
  temperature: 0.5,
  metadata: { trace: 't1' },
  user: 'u1',
  stream: true,
};

export const context: ReplyContext = {
  requestId: '01980000-0000-7000-8000-000000000001',
  provider: 'provider_b',
  model: 'chat',
  createdAtS: 1_700_000_000,
  includeUsage: true,
  request: decodeRequest(asked),
};

export const usage: ReportedUsage = {
  tokens: { ...emptyUsage(), input: 5, cacheRead: 3, cacheWrite5m: 2, output: 7, reasoning: 4 },
  inputTokens: 10,
  outputTokens: 7,
};

const choice = 0;
const sealedBy = 'anthropic-messages';
const logprobs = {
  content: [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }],
};

/** Every kind of event, with calls that grow in parallel. */
export const everything: StreamEvent[] = [
  { type: 'start', id: 'up-1', model: 'upstream-model', createdAtS: 1_700_000_001 },
  { type: 'thinking', choice, text: 'Let me ' },
  { type: 'thinking', choice, text: 'see.' },
  { type: 'thinking', choice, signature: 'EqQB+/==', sealedBy },
  { type: 'thinking', choice, redacted: 'sealed', sealedBy },
  { type: 'text', choice, text: 'Hi', logprobs },
  { type: 'text', choice, text: ' 日本🦊' },
  {
    type: 'citation',
    choice,
    citation: { url: 'https://example.com/', title: 'Example', startIndex: 0, endIndex: 2 },
  },
  { type: 'refusal', choice, text: 'No ' },
  { type: 'refusal', choice, text: 'more.' },
  { type: 'image', choice, url: 'data:image/png;base64,iVBORw==' },
  { type: 'tool_start', choice, tool: 0, kind: 'function', id: 'call_1', name: 'look' },
  { type: 'tool_delta', choice, tool: 0, arguments: '{"at"' },
  { type: 'tool_start', choice, tool: 1, kind: 'custom', id: 'call_2', name: 'free' },
  { type: 'tool_delta', choice, tool: 1, arguments: 'any"thing' },
  { type: 'tool_delta', choice, tool: 0, arguments: ':1}' },
  { type: 'stop', choice, reason: 'tool_calls', rawReason: 'tool_use' },
  { type: 'usage', usage },
  { type: 'end' },
];

/** A short answer in text. */
export const plain: StreamEvent[] = [
  { type: 'start', id: 'up-2', model: 'upstream-model' },
  { type: 'text', choice, text: 'Hel' },
  { type: 'text', choice, text: 'lo' },
  { type: 'stop', choice, reason: 'stop', rawReason: 'stop' },
  { type: 'usage', usage },
  { type: 'end' },
];

export const whole: NormalisedResponse = {
  id: 'up-1',
  model: 'upstream-model',
  createdAtS: 1_700_000_001,
  choices: [
    {
      index: 0,
      content: [
        { type: 'thinking', text: 'Let me see.', signature: 'EqQB+/==', sealedBy },
        { type: 'thinking', text: '', redacted: 'sealed', sealedBy },
        {
          type: 'text',
          text: 'Hi 日本🦊',
          citations: [
            { url: 'https://example.com/', title: 'Example', startIndex: 0, endIndex: 2 },
          ],
        },
        { type: 'refusal', text: 'No more.' },
        { type: 'image', url: 'data:image/png;base64,iVBORw==' },
        {
          type: 'tool_call',
          id: 'call_1',
          kind: 'function',
          name: 'look',
          arguments: '{"at":1}',
        },
        { type: 'tool_call', id: 'call_2', kind: 'custom', name: 'free', arguments: 'any"thing' },
      ],
      stopReason: 'tool_calls',
      rawStopReason: 'completed',
      logprobs,
    },
  ],
  usage,
};

export function write(events: readonly StreamEvent[], more: Partial<ReplyContext> = {}): string {
  const encoder = createStreamEncoder({ ...context, ...more });
  return events.map((event) => encoder.encode(event)).join('');
}

/** The data of a stream's events; asserts that each event's name is its type. */
export function read(text: string): JsonObject[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const [name = '', data = ''] = block.split('\n');
    const wire = JSON.parse(data.slice('data: '.length)) as JsonObject;
    if (name !== `event: ${String(wire['type'])}`) throw new Error(`${name} holds another event`);
    return wire;
  });
}
