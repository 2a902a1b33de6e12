import { emptyUsage } from '@tollgate/contracts';

import type { ReplyContext } from '../format';
import type { JsonObject, StreamEvent } from '../normalised';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';

const DONE = 'data: [DONE]\n\n';
const chunk = (delta: JsonObject, finish: string | null = null, index = 0): string =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index, delta, finish_reason: finish }] })}\n\n`;

function decode(text: string): StreamEvent[] {
  const decoder = createStreamDecoder();
  return [...decoder.push(Buffer.from(text)), ...decoder.finish()];
}

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_a',
  model: 'm',
  createdAtS: 5,
  includeUsage: false,
};

test('a choice stops once, at the end, even if text follows its finish_reason', () => {
  const events = decode(chunk({ content: 'a' }, 'stop') + chunk({ content: 'b' }) + DONE);
  expect(events.map(({ type }) => type)).toEqual(['start', 'text', 'text', 'stop', 'end']);
});

test('tool calls end with tool_calls, even if the server sends stop', () => {
  const call = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] };
  expect(decode(chunk(call) + chunk({}, 'stop') + DONE)).toContainEqual({
    type: 'stop',
    choice: 0,
    reason: 'tool_calls',
    rawReason: 'stop',
  });
});

test('a call whose name comes late keeps its first arguments', () => {
  const text =
    chunk({ tool_calls: [{ index: 0, id: 'c', function: { arguments: '{"a"' } }] }) +
    chunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: ':1}' } }] });
  const events = decode(text + DONE).filter(({ type }) => type.startsWith('tool'));
  expect(events).toEqual([
    { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 'c', name: 'f' },
    { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"a":1}' },
  ]);
});

test('a call without a name is an invalid response', () => {
  const call = { tool_calls: [{ index: 0, function: { arguments: '{}' } }] };
  expect(decode(chunk(call) + DONE).at(-1)).toMatchObject({
    type: 'error',
    fault: 'INVALID_RESPONSE',
  });
});

test('the legacy function_call is decoded as a tool call', () => {
  const text =
    chunk({ function_call: { name: 'f', arguments: '{}' } }) + chunk({}, 'function_call');
  expect(decode(text + DONE)).toMatchObject([
    { type: 'start' },
    { type: 'tool_start', id: 'call_0_0', name: 'f' },
    { type: 'tool_delta', arguments: '{}' },
    { type: 'stop', reason: 'tool_calls', rawReason: 'function_call' },
    { type: 'end' },
  ]);
});

test('an upstream error is decoded, and nothing follows it', () => {
  const failure = 'data: {"error":{"message":"overloaded","type":"server_error","code":null}}\n\n';
  const events = decode(chunk({ content: 'a' }) + failure + DONE);
  expect(events.at(-1)).toMatchObject({
    type: 'error',
    fault: 'UPSTREAM_ERROR',
    error: { code: 'upstream_error', message: 'overloaded' },
  });
  expect(events.filter(({ type }) => type === 'end')).toEqual([]);
});

test('state per stream is bounded', () => {
  const calls = Array.from({ length: 3_000 }, (_, index) => ({ index, function: { name: 'f' } }));
  const choices = Array.from({ length: 300 }, (_, index) => chunk({ content: 'x' }, null, index));
  const events = decode(chunk({ tool_calls: calls }) + choices.join('') + DONE);
  expect(events.filter(({ type }) => type === 'tool_start').length).toBeLessThanOrEqual(1_024);
  expect(events.filter(({ type }) => type === 'stop').length).toBeLessThanOrEqual(128);
});

test('usage is written only on request, before the terminal event', () => {
  const tokens = { ...emptyUsage(), input: 5, output: 2 };
  const events: StreamEvent[] = [
    { type: 'usage', usage: { tokens, inputTokens: 5, outputTokens: 2 } },
    { type: 'end' },
  ];
  const write = (includeUsage: boolean): string => {
    const encoder = createStreamEncoder({ ...context, includeUsage });
    return events.map((event) => encoder.encode(event)).join('');
  };
  expect(write(false)).toBe(DONE);
  expect(write(true)).toMatch(
    /"choices":\[\],"usage":\{"prompt_tokens":5.*\}\n\ndata: \[DONE\]\n\n$/,
  );
});

test('a client of the legacy functions gets a function_call', () => {
  const encoder = createStreamEncoder({ ...context, legacyFunctions: true });
  const text = (
    [
      { type: 'start', id: 'c', model: 'm' },
      { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 'i', name: 'f' },
      { type: 'tool_delta', choice: 0, tool: 0, arguments: '{}' },
      { type: 'stop', choice: 0, reason: 'tool_calls', rawReason: 'tool_use' },
    ] as const
  )
    .map((event) => encoder.encode(event))
    .join('');
  expect(text).toContain('"delta":{"function_call":{"name":"f","arguments":""}}');
  expect(text).toContain('"delta":{"function_call":{"arguments":"{}"}}');
  expect(text).toContain('"finish_reason":"function_call"');
});

test('thinking and its signature are separate, the signature unchanged', () => {
  const encoder = createStreamEncoder(context);
  const text = (
    [
      { type: 'start', id: 'c', model: 'm' },
      { type: 'thinking', choice: 0, text: 'Hm.' },
      { type: 'thinking', choice: 0, signature: 'EqQB+/==' },
      { type: 'thinking', choice: 0, redacted: 'sealed' },
      { type: 'end' },
    ] as const
  )
    .map((event) => encoder.encode(event))
    .join('');
  const sealedBy = 'openai-chat';
  expect(decode(text).filter(({ type }) => type === 'thinking')).toEqual([
    { type: 'thinking', choice: 0, text: 'Hm.' },
    { type: 'thinking', choice: 0, signature: 'EqQB+/==', sealedBy },
    { type: 'thinking', choice: 0, redacted: 'sealed', sealedBy },
  ]);
});
