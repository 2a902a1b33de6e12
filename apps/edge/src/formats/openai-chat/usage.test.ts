import { tokensIn, tokensOut } from '@tollgate/contracts';
import fc from 'fast-check';

import { reportedUsage } from '../test-support/arbitraries';
import { decodeUsage, encodeUsage } from './usage';

test('totals that include their parts become disjoint classes', () => {
  const usage = decodeUsage({
    prompt_tokens: 100,
    completion_tokens: 40,
    total_tokens: 140,
    prompt_tokens_details: {
      cached_tokens: 60,
      cache_write_tokens: 5,
      audio_tokens: 10,
      image_tokens: 3,
    },
    completion_tokens_details: { reasoning_tokens: 25, audio_tokens: 5, image_tokens: 2 },
  });
  expect(usage).toEqual({
    tokens: {
      input: 22,
      cacheRead: 60,
      cacheWrite5m: 5,
      cacheWrite1h: 0,
      audioInput: 10,
      imageInput: 3,
      output: 33,
      audioOutput: 5,
      imageOutput: 2,
      reasoning: 25,
    },
    inputTokens: 100,
    outputTokens: 40,
  });
});

test.each([
  [20, { cacheWrite5m: 10, cacheWrite1h: 20 }],
  [90, { cacheWrite5m: 0, cacheWrite1h: 30 }],
  ['x', { cacheWrite5m: 30, cacheWrite1h: 0 }],
])('of 30 cache writes %s are kept for longer', (longer, tokens) => {
  const usage = decodeUsage({
    prompt_tokens: 100,
    completion_tokens: 0,
    prompt_tokens_details: {
      cache_write_tokens: 30,
      cache_write_tokens_details: { ttl_30m_tokens: 10, ttl_12h_tokens: longer },
    },
  });
  expect(usage).toMatchObject({ tokens: { input: 70, ...tokens }, inputTokens: 100 });
});

test('reasoning that a server excludes from the output count is added to it', () => {
  const usage = decodeUsage({
    prompt_tokens: 10,
    completion_tokens: 20,
    total_tokens: 37,
    completion_tokens_details: { reasoning_tokens: 7 },
  });
  expect(usage).toMatchObject({ tokens: { output: 27, reasoning: 7 }, outputTokens: 27 });
});

test.each([
  undefined,
  null,
  {},
  [],
  'x',
  { prompt_tokens: -1 },
  { prompt_tokens: '5' },
  { completion_tokens: 5 },
])('%j is not usage', (value) => {
  expect(decodeUsage(value)).toBeUndefined();
});

test('input alone is usage with zero output', () => {
  expect(decodeUsage({ prompt_tokens: 5 })).toMatchObject({ tokens: { input: 5, output: 0 } });
});

test('the classes always sum to the totals, whatever the parts', () => {
  const count = fc.oneof(fc.nat(1_000), fc.constantFrom(null, undefined, -5, '7', 1.5));
  const wire = fc.record({
    prompt_tokens: fc.nat(1_000),
    completion_tokens: fc.nat(1_000),
    total_tokens: count,
    prompt_tokens_details: fc.option(
      fc.record({ cached_tokens: count, cache_write_tokens: count, audio_tokens: count }),
    ),
    completion_tokens_details: fc.option(
      fc.record({ reasoning_tokens: count, audio_tokens: count }),
    ),
  });
  fc.assert(
    fc.property(wire, (value) => {
      const usage = decodeUsage(value);
      expect(usage).toBeDefined();
      if (usage === undefined) return;
      expect(tokensIn(usage.tokens)).toBe(value.prompt_tokens);
      expect(tokensOut(usage.tokens)).toBe(usage.outputTokens);
      expect(usage.outputTokens).toBeGreaterThanOrEqual(value.completion_tokens);
      expect(Math.min(...Object.values(usage.tokens))).toBeGreaterThanOrEqual(0);
      expect(usage.tokens.reasoning).toBeLessThanOrEqual(usage.tokens.output);
    }),
  );
});

test('usage survives encoding and decoding', () => {
  fc.assert(
    fc.property(reportedUsage, (usage) => {
      expect(decodeUsage(encodeUsage(usage.tokens))).toEqual(usage);
    }),
  );
});
