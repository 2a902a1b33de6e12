// Bills of answers with several choices, computed by hand: the input is billed once, the output of
// every choice.

import type { Candidate__Output } from '@tollgate/contracts/node';

import { createStreamMeter, FORMATS, type FormatName, type JsonObject } from '.';
import { chargeFor } from '../exchange/charge';

const PRICE = {
  priceId: 'p',
  effectiveFromMs: 0,
  perRequestNanoUsd: '0',
  perUnitNanoUsd: {},
  // 2.50 and 10.00 dollars per million tokens.
  steps: [
    {
      fromInputTokens: 0,
      input: '2500000000',
      cacheRead: '1250000000',
      cacheWrite5m: '2500000000',
      cacheWrite1h: '2500000000',
      audioInput: '2500000000',
      imageInput: '2500000000',
      output: '10000000000',
      audioOutput: '10000000000',
      imageOutput: '10000000000',
    },
  ],
};
// The bill reads only these fields of a candidate.
const candidate = { price: PRICE, serviceTier: '' } as unknown as Candidate__Output;

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const WORDS = ['Yes.', 'No.', 'Perhaps.'];

function chat(): { whole: JsonObject; stream: string } {
  const base = { id: 'c', object: 'chat.completion', created: 1, model: 'up' };
  const usage = {
    prompt_tokens: 1_200,
    completion_tokens: 90,
    total_tokens: 1_290,
    prompt_tokens_details: { cached_tokens: 1_000 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };
  const chunk = (choices: JsonObject[], counts: JsonObject | null): string =>
    frame({ ...base, object: 'chat.completion.chunk', choices, usage: counts });
  const each = (of: (content: string, index: number) => JsonObject): string =>
    WORDS.map((content, index) => chunk([of(content, index)], null)).join('');
  return {
    whole: {
      ...base,
      choices: WORDS.map((content, index) => ({
        index,
        message: { role: 'assistant', content },
        finish_reason: 'stop',
      })),
      usage,
    },
    stream:
      each((content, index) => ({
        index,
        delta: { role: 'assistant', content },
        finish_reason: null,
      })) +
      each((_content, index) => ({ index, delta: {}, finish_reason: 'stop' })) +
      `${chunk([], usage)}data: [DONE]\n\n`,
  };
}

function gemini(): { whole: JsonObject; stream: string } {
  const base = { responseId: 'r', modelVersion: 'up' };
  const usageMetadata = {
    promptTokenCount: 1_200,
    cachedContentTokenCount: 1_000,
    candidatesTokenCount: 60,
    thoughtsTokenCount: 30,
    totalTokenCount: 1_290,
  };
  const candidates = WORDS.map((text, index) => ({
    index,
    content: { role: 'model', parts: [{ text }] },
    finishReason: 'STOP',
  }));
  return {
    whole: { ...base, candidates, usageMetadata },
    stream: candidates
      .map((one, at) =>
        frame({
          ...base,
          candidates: [one],
          ...(at === candidates.length - 1 ? { usageMetadata } : {}),
        }),
      )
      .join(''),
  };
}

// 1 200 - 1 000 = 200 at 2 500  =   500 000
//               1 000 at 1 250  = 1 250 000
//                  90 at 10 000 =   900 000
const NANO_USD = 2_650_000n;

const cases: [FormatName, { whole: JsonObject; stream: string }][] = [
  ['openai-chat', chat()],
  ['gemini-generate', gemini()],
];

test.each(cases)('%s: three choices', (name, answer) => {
  const format = FORMATS[name];
  const stream = Buffer.from(answer.stream);
  const tap = format.createUsageTap({ stripUsage: true });
  tap.push(stream);
  tap.finish();
  const decoder = format.createStreamDecoder();
  const meter = createStreamMeter();
  for (const event of [...decoder.push(stream), ...decoder.finish()]) meter.see(event);
  const usages = {
    'whole, passed on': format.inspectResponse(Buffer.from(JSON.stringify(answer.whole))).usage,
    'whole, translated': format.decodeResponse(answer.whole).usage?.tokens,
    'streamed, passed on': tap.report.usage,
    'streamed, translated': meter.report.usage,
  };
  for (const [way, usage] of Object.entries(usages)) {
    const { costNanoUsd, quality } = chargeFor(candidate, usage ? { usage } : {});
    expect({ way, costNanoUsd, quality }).toEqual({
      way,
      costNanoUsd: NANO_USD,
      quality: 'EXACT',
    });
  }
});
