import { emptyUsage } from '@tollgate/contracts';

import { openaiResponses } from '.';
import type { JsonObject, NormalisedResponse, StopReason } from '../normalised';
import { decodeResponse, encodeResponse } from './response';
import { sealedItem } from './seal';
import { asked, context, whole } from './test-support/samples';
import { decodeUsage, encodeUsage } from './usage';

const answer = (fields: JsonObject): JsonObject => ({
  id: 'resp_1',
  model: 'm',
  status: 'completed',
  output: [],
  ...fields,
});
const message = (...content: JsonObject[]): JsonObject => ({ type: 'message', content });
const contentOf = (...output: JsonObject[]) =>
  decodeResponse(answer({ output })).choices[0]?.content;

test('an answer repeats the fields of the request', () => {
  const { tools, ...written } = encodeResponse(whole, context);
  const { input: _, model: __, stream: ___, tools: ____, text, ...repeated } = asked;
  expect(written).toMatchObject({ ...repeated, object: 'response', background: false });
  expect(written['text']).toEqual(text);
  expect(tools).toEqual([
    expect.objectContaining({ type: 'function', name: 'look', strict: null }),
    { type: 'custom', name: 'free' },
    { type: 'web_search' },
  ]);
});

test('fields absent from the request have their defaults', () => {
  const { request: _, ...unasked } = context;
  expect(encodeResponse(whole, unasked)).toMatchObject({
    instructions: null,
    tools: [],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    text: { format: { type: 'text' } },
    temperature: 1,
    top_p: 1,
    truncation: 'disabled',
    previous_response_id: null,
    metadata: {},
  });
});

test('each kind of content is an item, and adjacent texts and refusals are parts of one', () => {
  const written = encodeResponse(whole, context);
  expect(written['output']).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me see.' }] },
    {
      type: 'reasoning',
      summary: [],
      encrypted_content: expect.stringMatching(/^tollgate/) as string,
    },
    {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [
        { type: 'output_text', logprobs: [{ token: 'Hi' }] },
        { type: 'refusal', refusal: 'No more.' },
      ],
    },
    { type: 'image_generation_call', output_format: 'png', result: 'iVBORw==' },
    { type: 'function_call', status: 'completed', call_id: 'call_1' },
    { type: 'custom_tool_call', call_id: 'call_2', input: 'any"thing' },
  ]);
  const ids = (written['output'] as JsonObject[]).map(({ id }) => String(id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(64);
});

test.each<[StopReason, JsonObject]>([
  ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
  ['content_filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
  ['error', { status: 'failed', error: { code: 'server_error', type: 'upstream_error' } }],
  ['stop', { status: 'completed', incomplete_details: null, error: null }],
])('an answer with the stop reason %s', (stopReason, fields) => {
  const content = [{ type: 'text' as const, text: 'Hi' }];
  const stopped: NormalisedResponse = {
    id: 'r',
    model: 'm',
    choices: [{ index: 0, content, stopReason, rawStopReason: '' }],
  };
  expect(encodeResponse(stopped, context)).toMatchObject(fields);
});

test('an image by URL becomes text', () => {
  const pictured: NormalisedResponse = {
    id: 'r',
    model: 'm',
    choices: [
      {
        index: 0,
        content: [{ type: 'image', url: 'https://example.com/a.png' }],
        stopReason: 'stop',
        rawStopReason: '',
      },
    ],
  };
  expect(encodeResponse(pictured, context)['output']).toMatchObject([
    { type: 'message', content: [{ text: 'https://example.com/a.png' }] },
  ]);
});

test('missing usage is estimated', () => {
  const { usage: _, ...silent } = whole;
  const estimatedUsage = { ...emptyUsage(), input: 3, output: 4 };
  const written = encodeResponse(silent, { ...context, estimatedUsage });
  expect(written['usage']).toMatchObject({ input_tokens: 3, output_tokens: 4, total_tokens: 7 });
});

test('the signature of a sealed reasoning item restores the item', () => {
  const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA+/=' };
  const [block] = contentOf(item) ?? [];
  const seal = block?.type === 'thinking' ? block : {};
  expect(sealedItem(seal)).toEqual({ id: 'rs_1', encrypted: 'gAAAA+/=' });
});

test('citations count characters in the whole text', () => {
  const annotations = [
    { type: 'url_citation', url: 'u', title: 't', start_index: 1, end_index: 2 },
  ];
  expect(
    contentOf(
      message({ type: 'output_text', text: 'abcd' }),
      message({ type: 'output_text', text: 'ef', annotations }),
    ),
  ).toEqual([
    { type: 'text', text: 'abcd' },
    {
      type: 'text',
      text: 'ef',
      citations: [{ url: 'u', title: 't', startIndex: 5, endIndex: 6 }],
    },
  ]);
});

test('an item that only this format has is kept with its kind', () => {
  const search = { type: 'web_search_call', id: 'ws_1' };
  expect(contentOf(search)).toEqual([{ type: 'other', kind: 'web_search_call', raw: search }]);
});

test.each([
  [null],
  ['x'],
  [{}],
  [answer({ output: undefined })],
  [answer({ output: [{}] })],
  [answer({ output: [{ type: 'function_call', call_id: 'c' }] })],
  [answer({ status: 'in_progress' })],
  [answer({ status: 'queued' })],
  [answer({ status: 'failed' })],
])('%j is not an answer', (body) => {
  const failed = expect.objectContaining({ code: 'upstream_error' }) as Error;
  expect(() => decodeResponse(body)).toThrow(failed);
  expect(() => openaiResponses.inspectResponse(Buffer.from(JSON.stringify(body)))).toThrow(failed);
});

test('the error of a failed answer is kept', () => {
  const error = { code: 'rate_limit_exceeded', message: 'Slow down.' };
  expect(() => decodeResponse(answer({ status: 'failed', error }))).toThrow(
    expect.objectContaining({ code: 'upstream_rate_limited', message: 'Slow down.' }) as Error,
  );
});

describe('usage', () => {
  test.each([
    [
      { input_tokens: 10, output_tokens: 5 },
      { input: 10, output: 5 },
    ],
    [
      { input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5 },
      { input: 6, cacheRead: 4, output: 5 },
    ],
    [
      {
        input_tokens: 100,
        input_tokens_details: {
          cached_tokens: 40,
          cache_write_tokens: 30,
          cache_write_tokens_details: { ttl_30m_tokens: 20, ttl_12h_tokens: 10 },
        },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 45 },
      },
      { input: 30, cacheRead: 40, cacheWrite5m: 20, cacheWrite1h: 10, output: 50, reasoning: 45 },
    ],
    // Parts never exceed the whole.
    [
      {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 40, cache_write_tokens: 30 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 45 },
      },
      { cacheRead: 10, output: 5, reasoning: 5 },
    ],
    [
      {
        input_tokens: 10,
        input_tokens_details: { audio_tokens: 4 },
        output_tokens: 5,
        output_tokens_details: { audio_tokens: 3 },
      },
      { input: 6, audioInput: 4, output: 2, audioOutput: 3 },
    ],
    [{ input_tokens: 10 }, { input: 10 }],
  ])('%j', (wire, tokens) => {
    expect(decodeUsage(wire)?.tokens).toEqual({ ...emptyUsage(), ...tokens });
  });

  test.each([[null], [{}], [{ input_tokens: -1 }], [{ input_tokens: 1.5, output_tokens: 2 }]])(
    '%j is none',
    (wire) => expect(decodeUsage(wire)).toBeUndefined(),
  );

  test('usage is encoded with its parts included in its totals', () => {
    const tokens = { ...emptyUsage(), input: 1, cacheRead: 2, cacheWrite5m: 3, output: 4 };
    expect(encodeUsage({ ...tokens, reasoning: 2 })).toEqual({
      input_tokens: 6,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 3 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 10,
    });
  });
});
