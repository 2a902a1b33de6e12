// A compaction of the context is billed beside the answer, however the answer arrives.

import { emptyUsage } from '@tollgate/contracts';

import { createStreamMeter } from '../index';
import { writeEvent } from './events';
import { anthropicMessages } from './index';

const iteration = (type: string, fields: object) => ({
  type,
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: null,
  ...fields,
});
const usage = {
  input_tokens: 23_000,
  output_tokens: 1_000,
  cache_creation_input_tokens: 40,
  cache_read_input_tokens: 2,
  iterations: [
    iteration('compaction', { input_tokens: 180_000, output_tokens: 3_500 }),
    iteration('message', { input_tokens: 23_000, output_tokens: 1_000 }),
    iteration('compaction', {
      input_tokens: 7,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_1h_input_tokens: 2, ephemeral_5m_input_tokens: 1 },
    }),
    iteration('compaction', { input_tokens: -1 }),
    null,
  ],
};
const BILLED = {
  ...emptyUsage(),
  input: 203_007,
  output: 4_500,
  cacheRead: 7,
  cacheWrite5m: 41,
  cacheWrite1h: 2,
};

const block = {
  type: 'compaction',
  content: 'They said hello.',
  encrypted_content: 'x'.repeat(99),
};
const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [block] };
const stream = [
  writeEvent('message_start', {
    message: { ...message, content: [], usage: { input_tokens: 23_000, output_tokens: 1 } },
  }),
  writeEvent('content_block_start', { index: 0, content_block: { ...block, content: null } }),
  writeEvent('content_block_delta', {
    index: 0,
    delta: { ...block, type: 'compaction_delta' },
  }),
  writeEvent('content_block_stop', { index: 0 }),
  writeEvent('message_delta', { delta: { stop_reason: 'end_turn' }, usage }),
  writeEvent('message_stop'),
].join('');

test('in a whole answer', () => {
  const whole = { ...message, stop_reason: 'end_turn', usage };
  const relayed = anthropicMessages.inspectResponse(Buffer.from(JSON.stringify(whole)));
  expect(relayed.usage).toEqual(BILLED);
  const decoded = anthropicMessages.decodeResponse(whole).usage;
  // The client is told the vendor's own counts.
  expect(decoded).toMatchObject({ tokens: BILLED, inputTokens: 23_000, outputTokens: 1_000 });
});

test('in a stream, relayed unchanged', () => {
  const tap = anthropicMessages.createUsageTap({ stripUsage: false });
  expect(Buffer.concat(tap.push(Buffer.from(stream))).toString()).toBe(stream);
  expect(tap.report).toMatchObject({ usage: BILLED, terminal: true });
});

test('in a stream, translated', () => {
  const decoder = anthropicMessages.createStreamDecoder();
  const meter = createStreamMeter();
  for (const event of decoder.push(Buffer.from(stream))) meter.see(event);
  expect(meter.report).toMatchObject({ usage: BILLED, terminal: true });
});

test('while nobody has counted it, its summary is output, however it is spaced', () => {
  const begun = stream.slice(0, stream.indexOf('event: message_delta'));
  const estimate = (text: string): number => {
    const tap = anthropicMessages.createUsageTap({ stripUsage: false });
    tap.push(Buffer.from(text));
    return tap.report.outputTokensEstimate;
  };
  expect(estimate(begun)).toBeGreaterThan(0);
  expect(estimate(begun.replace('"delta":', '"delta": '))).toBe(estimate(begun));
});
