import { emptyUsage, tokensIn, tokensOut } from '@tollgate/contracts';
import fc from 'fast-check';

import type { JsonObject } from '../normalised';
import { reportedUsage } from '../test-support/arbitraries';
import { decodeUsage, encodeUsage } from './usage';

const counts = (fields: object) => ({ ...emptyUsage(), ...fields });
const audio = (tokenCount: number) => [
  { modality: 'TEXT', tokenCount: 1 },
  { modality: 'AUDIO', tokenCount },
];

test.each<[string, JsonObject, object, number, number]>([
  [
    'the prompt includes cached tokens',
    {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 5,
      totalTokenCount: 105,
    },
    { input: 40, cacheRead: 60, output: 5 },
    100,
    5,
  ],
  [
    'the candidates exclude thoughts',
    { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 30, totalTokenCount: 45 },
    { input: 10, output: 35, reasoning: 30 },
    10,
    35,
  ],
  [
    'unless the total shows that they include them',
    { promptTokenCount: 10, candidatesTokenCount: 35, thoughtsTokenCount: 30, totalTokenCount: 45 },
    { input: 10, output: 35, reasoning: 30 },
    10,
    35,
  ],
  [
    'tool results are input beside the prompt',
    {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 90,
      candidatesTokenCount: 5,
      totalTokenCount: 105,
    },
    { input: 100, output: 5 },
    100,
    5,
  ],
  [
    'audio is a separate class, cached or not',
    {
      promptTokenCount: 100,
      cachedContentTokenCount: 50,
      promptTokensDetails: audio(70),
      cacheTokensDetails: audio(40),
      candidatesTokenCount: 20,
      candidatesTokensDetails: audio(15),
    },
    { input: 20, cacheRead: 50, audioInput: 30, output: 5, audioOutput: 15 },
    100,
    20,
  ],
  [
    'images are a separate class, cached or not, and so are those that tools bring',
    {
      promptTokenCount: 1_000,
      cachedContentTokenCount: 300,
      promptTokensDetails: [...audio(70), { modality: 'IMAGE', tokenCount: 516 }],
      cacheTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }],
      toolUsePromptTokenCount: 10,
      toolUsePromptTokensDetails: [{ modality: 'IMAGE', tokenCount: 9 }],
      candidatesTokenCount: 1_300,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
      thoughtsTokenCount: 5,
      totalTokenCount: 2_315,
    },
    {
      input: 373,
      cacheRead: 300,
      audioInput: 70,
      imageInput: 267,
      output: 15,
      imageOutput: 1_290,
      reasoning: 5,
    },
    1_010,
    1_305,
  ],
  [
    'thoughts alone are output',
    { promptTokenCount: 3, thoughtsTokenCount: 9 },
    { input: 3, output: 9, reasoning: 9 },
    3,
    9,
  ],
  [
    'a blocked prompt has no output',
    { promptTokenCount: 3, totalTokenCount: 3 },
    { input: 3 },
    3,
    0,
  ],
])('%s', (_, wire, tokens, inputTokens, outputTokens) => {
  expect(decodeUsage(wire)).toEqual({ tokens: counts(tokens), inputTokens, outputTokens });
});

test.each([
  undefined,
  null,
  5,
  {},
  { totalTokenCount: 5 },
  { promptTokenCount: -1 },
  { promptTokenCount: '5' },
])('%j is not usage', (value) => {
  expect(decodeUsage(value)).toBeUndefined();
});

test('for any counts of a provider, the classes sum to its totals', () => {
  const count = fc.oneof(
    fc.integer({ min: -5, max: 1_000 }),
    fc.constant(undefined),
    fc.constant('x'),
  );
  const details = fc.array(
    fc.record({ modality: fc.constantFrom('AUDIO', 'TEXT'), tokenCount: count }),
    {
      maxLength: 2,
    },
  );
  const wire = fc.record({
    promptTokenCount: count,
    cachedContentTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    toolUsePromptTokenCount: count,
    totalTokenCount: count,
    promptTokensDetails: details,
    cacheTokensDetails: details,
    candidatesTokensDetails: details,
  });
  fc.assert(
    fc.property(wire, (value) => {
      const usage = decodeUsage(value);
      if (usage === undefined) return;
      for (const tokens of Object.values(usage.tokens)) expect(tokens).toBeGreaterThanOrEqual(0);
      expect(tokensIn(usage.tokens)).toBe(usage.inputTokens);
      expect(tokensOut(usage.tokens)).toBe(usage.outputTokens);
      expect(usage.tokens.reasoning).toBeLessThanOrEqual(usage.tokens.output);
    }),
    { numRuns: 1_000 },
  );
});

test('usage survives encoding and decoding, with cache writes as plain input', () => {
  fc.assert(
    fc.property(reportedUsage, ({ tokens, inputTokens, outputTokens }) => {
      const input = tokens.input + tokens.cacheWrite5m;
      expect(decodeUsage(encodeUsage(tokens))).toEqual({
        tokens: { ...tokens, input, cacheWrite5m: 0 },
        inputTokens,
        outputTokens,
      });
    }),
  );
});
