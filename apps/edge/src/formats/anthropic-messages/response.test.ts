import { emptyUsage } from '@tollgate/contracts';

import { anthropicMessages } from '.';
import type { ReplyContext } from '../format';
import type { ContentBlock, JsonObject, NormalisedResponse, StopReason } from '../normalised';
import { decodeResponse, encodeResponse } from './response';
import { decodeUsage, encodeUsage, mergeUsage } from './usage';

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_a',
  model: 'asked',
  createdAtS: 5,
  includeUsage: true,
};
const message = (fields: JsonObject): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
  ...fields,
});
const answer = (content: ContentBlock[], stopReason: StopReason = 'stop'): NormalisedResponse => ({
  id: 'x',
  model: 'm',
  choices: [{ index: 0, content, stopReason, rawStopReason: '' }],
});
const encode = (content: ContentBlock[], reason?: StopReason): JsonObject =>
  encodeResponse(answer(content, reason), context);
const call = (text: string): ContentBlock => ({
  type: 'tool_call',
  id: 't',
  kind: 'function',
  name: 'look',
  arguments: text,
});

test.each([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'length'],
  ['something_new', 'other'],
])('%s means %s', (raw, reason) => {
  const [choice] = decodeResponse(message({ stop_reason: raw, stop_sequence: 'END' })).choices;
  expect(choice).toMatchObject({ stopReason: reason, rawStopReason: raw, stopSequence: 'END' });
});

test('an answer with tool calls stops with tool_calls, whatever the server’s stop reason', () => {
  const content = [{ type: 'tool_use', id: 't', name: 'look', input: {} }];
  expect(decodeResponse(message({ content })).choices[0]?.stopReason).toBe('tool_calls');
  expect(encode([call('{}')])['stop_reason']).toBe('tool_use');
});

test('thinking keeps its seal, and unknown blocks are kept as they are', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm', signature: 'seal' },
    { type: 'redacted_thinking', data: 'xx' },
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
  ];
  const read = decodeResponse(message({ content }));
  expect(read.choices[0]?.content).toEqual([
    { type: 'thinking', text: 'Hm', signature: 'seal', sealedBy: 'anthropic-messages' },
    { type: 'thinking', text: '', redacted: 'xx', sealedBy: 'anthropic-messages' },
    { type: 'other', kind: 'server_tool_use', raw: content[2] },
  ]);
  expect(encodeResponse(read, context)['content']).toEqual(content);
});

test('a citation spans the block that it supports', () => {
  const web = { type: 'web_search_result_location', url: 'https://x.test', title: 'X' };
  const page = { type: 'page_location', document_index: 0 };
  const content = [
    { type: 'text', text: 'One ' },
    { type: 'text', text: 'two', citations: [web, page] },
  ];
  const blocks = decodeResponse(message({ content })).choices[0]?.content;
  expect(blocks?.[1]).toMatchObject({
    citations: [{ url: 'https://x.test', title: 'X', startIndex: 4, endIndex: 7 }],
  });
});

test('the explanation of a refusal becomes the refusal', () => {
  const stop = { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'No.' } };
  const [choice] = decodeResponse(message({ content: [], ...stop })).choices;
  expect(choice).toMatchObject({
    stopReason: 'refusal',
    content: [{ type: 'refusal', text: 'No.' }],
  });
  expect(encode([{ type: 'refusal', text: 'No.' }])).toMatchObject({
    content: [{ type: 'text', text: 'No.' }],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal' },
  });
  expect(encode([], 'content_filter')['stop_reason']).toBe('refusal');
});

test('a whole message has every field of the vendor’s own', () => {
  expect(encode([{ type: 'text', text: 'Hi' }])).toEqual({
    id: 'x',
    type: 'message',
    role: 'assistant',
    model: 'asked',
    container: null,
    diagnostics: null,
    content: [{ type: 'text', text: 'Hi', citations: null }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    stop_details: null,
    usage: encodeUsage(emptyUsage(), {}),
  });
});

test('an answer without usage gets the estimate', () => {
  const estimatedUsage = { ...emptyUsage(), input: 4, output: 6 };
  const said = encodeResponse(answer([]), { ...context, estimatedUsage });
  expect(said['usage']).toMatchObject({ input_tokens: 4, output_tokens: 6 });
});

test.each([
  ['{"at":', 'tool_calls'],
  ['[1]', 'stop'],
] as const)('arguments %j with the stop %s are an upstream_error', (text, reason) => {
  expect(() => encode([call(text)], reason)).toThrow(
    expect.objectContaining({ code: 'upstream_error' }) as Error,
  );
});

test.each(['{"at":', ''])('a call cut at %j has empty arguments', (text) => {
  expect(encode([call(text)], 'length')).toMatchObject({
    content: [{ type: 'tool_use', input: {} }],
    stop_reason: 'max_tokens',
  });
});

test('a custom tool call with free text becomes one field', () => {
  const custom: ContentBlock = {
    type: 'tool_call',
    id: 't',
    kind: 'custom',
    name: 'c',
    arguments: 'a',
  };
  expect(encode([custom])['content']).toMatchObject([{ type: 'tool_use', input: { input: 'a' } }]);
});

test.each([
  [null],
  [{}],
  [{ content: 'x' }],
  [{ type: 'error', error: { message: 'no' } }],
  [{ content: [1] }],
])('%j is not an answer', (body) => {
  expect(() => decodeResponse(body)).toThrow(
    expect.objectContaining({ code: 'upstream_error' }) as Error,
  );
});

test('the usage that the ledger needs is read from the bytes', () => {
  const report = anthropicMessages.inspectResponse(Buffer.from(JSON.stringify(message({}))));
  expect(report).toEqual({
    outputTokensEstimate: 2,
    usage: { ...emptyUsage(), input: 3, output: 2 },
    stopReason: 'stop',
    rawStopReason: 'end_turn',
    responseId: 'msg_1',
    model: 'claude',
  });
});

describe('usage', () => {
  test('classes are disjoint, cache writes are split by lifetime, thinking is part of output', () => {
    const wire = {
      input_tokens: 100,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 25 },
    };
    const usage = decodeUsage(wire);
    expect(usage).toEqual({
      tokens: {
        ...emptyUsage(),
        input: 100,
        cacheRead: 50,
        cacheWrite5m: 20,
        cacheWrite1h: 10,
        output: 40,
        reasoning: 25,
      },
      // The provider's own total excludes cached input.
      inputTokens: 100,
      outputTokens: 40,
    });
    expect(encodeUsage(usage?.tokens ?? emptyUsage(), {})).toMatchObject(wire);
  });

  test('the total of cache writes counts, whatever the sum of its parts', () => {
    const wire = {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 5,
      cache_creation: { ephemeral_5m_input_tokens: 9, ephemeral_1h_input_tokens: 9 },
      output_tokens_details: { thinking_tokens: 9 },
    };
    expect(decodeUsage(wire)?.tokens).toMatchObject({
      cacheWrite5m: 0,
      cacheWrite1h: 5,
      reasoning: 1,
    });
  });

  test('counts of a stream are running totals, and null leaves a count unchanged', () => {
    const start = { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4 };
    const delta = { input_tokens: 12, output_tokens: 9, cache_read_input_tokens: null };
    expect(mergeUsage(start, delta)).toEqual({
      input_tokens: 12,
      output_tokens: 9,
      cache_read_input_tokens: 4,
    });
  });

  test.each([null, {}, { input_tokens: -1 }, { input_tokens: '5', output_tokens: 1 }])(
    '%j is no usage',
    (value) => {
      expect(decodeUsage(value)).toBeUndefined();
    },
  );
});
