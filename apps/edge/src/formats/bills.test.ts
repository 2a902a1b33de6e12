// Bills computed by hand: the usage that each provider reports and its cost to the nano-USD,
// whether the answer is passed on or translated, unary or streamed. The prices are examples.
//
// One dollar per million tokens is 1 000 nano-USD per token.

import { parseUsd, type TokenClass } from '@tollgate/contracts';
import type { Candidate__Output } from '@tollgate/contracts/node';

import { createStreamMeter, FORMATS, type FormatName, type JsonObject } from '.';
import { chargeFor } from '../exchange/charge';

/** USD per million tokens of each class, from an input length on. */
type Step = Partial<Record<TokenClass, string>> & { from?: number };

interface Bill {
  name: string;
  format: FormatName;
  usage: JsonObject;
  prices: Step[];
  perRequestUsd?: string;
  nanoUsd: bigint;
}

const GPT: Step = { input: '2.50', cacheRead: '1.25', output: '10.00' };
const GPT_SPOKEN: Step = { ...GPT, audioInput: '40.00', audioOutput: '80.00' };
const GPT_WRITES: Step = {
  input: '1.25',
  cacheRead: '0.125',
  cacheWrite5m: '1.5625',
  cacheWrite1h: '2.50',
  output: '10.00',
};
const GPT_LONG: Step[] = [
  { input: '1.25', cacheRead: '0.125', output: '10.00' },
  { from: 272_001, input: '2.50', cacheRead: '0.25', output: '15.00' },
];

const CHAT: Bill[] = [
  {
    name: 'cached input, reasoning and predictions: parts of the totals',
    format: 'openai-chat',
    usage: {
      prompt_tokens: 2_000,
      completion_tokens: 700,
      total_tokens: 2_700,
      prompt_tokens_details: { cached_tokens: 1_536, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 320,
        audio_tokens: 0,
        accepted_prediction_tokens: 50,
        rejected_prediction_tokens: 30,
      },
    },
    prices: [GPT],
    // 2 000 - 1 536 = 464 at 2 500  =  1 160 000
    //                1 536 at 1 250  =  1 920 000
    //                  700 at 10 000 =  7 000 000
    nanoUsd: 10_080_000n,
  },
  {
    name: 'audio in and out',
    format: 'openai-chat',
    usage: {
      prompt_tokens: 300,
      completion_tokens: 200,
      total_tokens: 500,
      prompt_tokens_details: { cached_tokens: 64, audio_tokens: 120, text_tokens: 180 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 150, text_tokens: 50 },
    },
    prices: [GPT_SPOKEN],
    // 300 - 64 - 120 = 116 at 2 500  =    290 000
    //                   64 at 1 250  =     80 000
    //                  120 at 40 000 =  4 800 000
    // 200 - 150      =  50 at 10 000 =    500 000
    //                  150 at 80 000 = 12 000 000
    nanoUsd: 17_670_000n,
  },
  {
    name: 'cache writes',
    format: 'openai-chat',
    usage: {
      prompt_tokens: 10_000,
      completion_tokens: 100,
      total_tokens: 10_100,
      prompt_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 5_000 },
    },
    prices: [GPT_WRITES],
    // 10 000 - 4 000 - 5 000 = 1 000 at 1 250   = 1 250 000
    //                          4 000 at 125     =   500 000
    //                          5 000 at 1 562.5 = 7 812 500
    //                            100 at 10 000  = 1 000 000
    nanoUsd: 10_562_500n,
  },
  {
    name: 'a server that excludes reasoning from the completion',
    format: 'openai-chat',
    usage: {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 175,
      completion_tokens_details: { reasoning_tokens: 25 },
    },
    prices: [{ input: '0.50', output: '2.00' }],
    // 100 at 500           =  50 000
    // 50 + 25 = 75 at 2 000 = 150 000
    nanoUsd: 200_000n,
  },
  {
    name: 'the last token of the first step of prices, cached ones counted too',
    format: 'openai-chat',
    usage: {
      prompt_tokens: 272_000,
      completion_tokens: 1_000,
      total_tokens: 273_000,
      prompt_tokens_details: { cached_tokens: 200_000 },
    },
    prices: GPT_LONG,
    //  72 000 at 1 250  =  90 000 000
    // 200 000 at 125    =  25 000 000
    //   1 000 at 10 000 =  10 000 000
    nanoUsd: 125_000_000n,
  },
  {
    name: 'one more token: everything at the prices of the second step',
    format: 'openai-chat',
    usage: {
      prompt_tokens: 272_001,
      completion_tokens: 1_000,
      total_tokens: 273_001,
      prompt_tokens_details: { cached_tokens: 200_000 },
    },
    prices: GPT_LONG,
    //  72 001 at 2 500  = 180 002 500
    // 200 000 at 250    =  50 000 000
    //   1 000 at 15 000 =  15 000 000
    nanoUsd: 245_002_500n,
  },
  {
    name: "the vendor's cloud, with a price for the request itself",
    format: 'openai-chat',
    usage: {
      prompt_tokens: 120,
      completion_tokens: 30,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 0 },
    },
    prices: [GPT],
    perRequestUsd: '0.001',
    // 1 000 000 + 120 at 2 500 = 300 000 + 30 at 10 000 = 300 000
    nanoUsd: 1_600_000n,
  },
  {
    name: 'half a nano-USD is rounded up, once',
    format: 'openai-chat',
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    prices: [{ input: '0.0375', output: '0.150' }],
    // 3 at 37.5 = 112.5, 1 at 150 = 150; 262.5
    nanoUsd: 263n,
  },
];

const RESPONSES: Bill[] = [
  {
    name: 'cached input, cache writes of both lifetimes, and reasoning',
    format: 'openai-responses',
    usage: {
      input_tokens: 5_000,
      input_tokens_details: {
        cached_tokens: 1_024,
        cache_write_tokens: 2_000,
        cache_write_tokens_details: { ttl_30m_tokens: 1_500, ttl_12h_tokens: 500 },
      },
      output_tokens: 900,
      output_tokens_details: { reasoning_tokens: 512 },
      total_tokens: 5_900,
    },
    prices: [GPT_WRITES],
    // 5 000 - 1 024 - 2 000 = 1 976 at 1 250   = 2 470 000
    //                         1 024 at 125     =   128 000
    //                         1 500 at 1 562.5 = 2 343 750
    //                           500 at 2 500   = 1 250 000
    //                           900 at 10 000  = 9 000 000
    nanoUsd: 15_191_750n,
  },
  {
    name: 'neither cache nor thinking',
    format: 'openai-responses',
    usage: {
      input_tokens: 36,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 87,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 123,
    },
    prices: [GPT],
    // 36 at 2 500 = 90 000, 87 at 10 000 = 870 000
    nanoUsd: 960_000n,
  },
];

const CLAUDE: Step = {
  input: '3.00',
  cacheWrite5m: '3.75',
  cacheWrite1h: '6.00',
  cacheRead: '0.30',
  output: '15.00',
};
const CLAUDE_LONG: Step[] = [
  CLAUDE,
  {
    from: 200_001,
    input: '6.00',
    cacheWrite5m: '7.50',
    cacheWrite1h: '12.00',
    cacheRead: '0.60',
    output: '22.50',
  },
];

const MESSAGES: Bill[] = [
  {
    name: 'a cache written for five minutes and for an hour, and read, beside the input',
    format: 'anthropic-messages',
    usage: {
      input_tokens: 1_200,
      cache_creation_input_tokens: 3_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
      cache_read_input_tokens: 10_000,
      output_tokens: 450,
      output_tokens_details: { thinking_tokens: 200 },
      // The price lists here have no unit for the search.
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
      service_tier: 'standard',
    },
    prices: [CLAUDE],
    //  1 200 at 3 000  =  3 600 000
    //  1 000 at 3 750  =  3 750 000
    //  2 000 at 6 000  = 12 000 000
    // 10 000 at 300    =  3 000 000
    //    450 at 15 000 =  6 750 000
    nanoUsd: 29_100_000n,
  },
  {
    name: 'a cache write without a lifetime counts as the shorter one',
    format: 'anthropic-messages',
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 500,
      cache_read_input_tokens: null,
      output_tokens: 5,
    },
    prices: [CLAUDE],
    // 10 at 3 000 = 30 000, 500 at 3 750 = 1 875 000, 5 at 15 000 = 75 000
    nanoUsd: 1_980_000n,
  },
  {
    name: 'the last token of the first step of prices, cached ones counted too',
    format: 'anthropic-messages',
    usage: { input_tokens: 100_000, cache_read_input_tokens: 100_000, output_tokens: 1_000 },
    prices: CLAUDE_LONG,
    // 100 000 at 3 000 = 300 000 000, 100 000 at 300 = 30 000 000, 1 000 at 15 000 = 15 000 000
    nanoUsd: 345_000_000n,
  },
  {
    name: 'one more token: everything at the prices of the second step',
    format: 'anthropic-messages',
    usage: { input_tokens: 100_000, cache_read_input_tokens: 100_001, output_tokens: 1_000 },
    prices: CLAUDE_LONG,
    // 100 000 at 6 000 = 600 000 000, 100 001 at 600 = 60 000 600, 1 000 at 22 500 = 22 500 000
    nanoUsd: 682_500_600n,
  },
];

const PRO: Step[] = [
  { input: '1.25', cacheRead: '0.125', output: '10.00' },
  { from: 200_001, input: '2.50', cacheRead: '0.25', output: '15.00' },
];
const FLASH: Step = { input: '0.30', audioInput: '1.00', cacheRead: '0.03', output: '2.50' };

const GEMINI: Bill[] = [
  {
    name: 'a cached part of the prompt, thoughts beside the candidates, results of tools',
    format: 'gemini-generate',
    usage: {
      promptTokenCount: 1_000,
      cachedContentTokenCount: 600,
      candidatesTokenCount: 200,
      thoughtsTokenCount: 300,
      toolUsePromptTokenCount: 150,
      totalTokenCount: 1_650,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1_000 }],
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 600 }],
      toolUsePromptTokensDetails: [{ modality: 'TEXT', tokenCount: 150 }],
    },
    prices: PRO,
    // 1 000 - 600 + 150 = 550 at 1 250  =   687 500
    //                     600 at 125    =    75 000
    //         200 + 300 = 500 at 10 000 = 5 000 000
    nanoUsd: 5_762_500n,
  },
  {
    name: 'audio in the prompt, partly cached',
    format: 'gemini-generate',
    usage: {
      promptTokenCount: 2_000,
      cachedContentTokenCount: 500,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 50,
      totalTokenCount: 2_150,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 1_200 },
        { modality: 'AUDIO', tokenCount: 800 },
      ],
      cacheTokensDetails: [
        { modality: 'TEXT', tokenCount: 300 },
        { modality: 'AUDIO', tokenCount: 200 },
      ],
      candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }],
    },
    prices: [FLASH],
    // text  1 200 - 300 = 900 at 300   = 270 000
    // sound   800 - 200 = 600 at 1 000 = 600 000
    //                     500 at 30    =  15 000
    //          100 + 50 = 150 at 2 500 = 375 000
    nanoUsd: 1_260_000n,
  },
  {
    name: 'a spoken answer',
    format: 'gemini-generate',
    usage: {
      promptTokenCount: 20,
      candidatesTokenCount: 400,
      totalTokenCount: 420,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 20 }],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 400 }],
    },
    prices: [{ input: '0.50', output: '2.00', audioOutput: '10.00' }],
    // 20 at 500 = 10 000, 400 at 10 000 = 4 000 000
    nanoUsd: 4_010_000n,
  },
  {
    name: 'a model that counts its thoughts among the candidates',
    format: 'gemini-generate',
    usage: {
      promptTokenCount: 100,
      candidatesTokenCount: 80,
      thoughtsTokenCount: 30,
      totalTokenCount: 180,
    },
    prices: [FLASH],
    // 100 at 300 = 30 000, 80 at 2 500 = 200 000
    nanoUsd: 230_000n,
  },
  {
    name: 'the last token of the first step of prices',
    format: 'gemini-generate',
    usage: { promptTokenCount: 200_000, candidatesTokenCount: 100, totalTokenCount: 200_100 },
    prices: PRO,
    // 200 000 at 1 250 = 250 000 000, 100 at 10 000 = 1 000 000
    nanoUsd: 251_000_000n,
  },
  {
    name: 'one more token: everything at the prices of the second step',
    format: 'gemini-generate',
    usage: { promptTokenCount: 200_001, candidatesTokenCount: 100, totalTokenCount: 200_101 },
    prices: PRO,
    // 200 001 at 2 500 = 500 002 500, 100 at 15 000 = 1 500 000
    nanoUsd: 501_502_500n,
  },
];

const frame = (data: unknown, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

const said = (text: string): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});

/** A unary answer with this usage, and the same answer as a stream. */
const ANSWERS: Readonly<
  Partial<Record<FormatName, (usage: JsonObject) => { whole: JsonObject; stream: string }>>
> = {
  'openai-chat': (usage) => {
    const base = { id: 'c', object: 'chat.completion', created: 1, model: 'up' };
    const message = { role: 'assistant', content: 'Yes.' };
    const chunk = (choices: JsonObject[], counts: JsonObject | null) =>
      frame({ ...base, object: 'chat.completion.chunk', choices, usage: counts });
    return {
      whole: { ...base, choices: [{ index: 0, message, finish_reason: 'stop' }], usage },
      stream:
        chunk([{ index: 0, delta: message, finish_reason: null }], null) +
        chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], null) +
        `${chunk([], usage)}data: [DONE]\n\n`,
    };
  },
  'openai-responses': (usage) => {
    const base = { id: 'resp_1', object: 'response', created_at: 1, model: 'up' };
    const whole = { ...base, status: 'completed', output: [said('Yes.')], usage };
    const place = { output_index: 0, item_id: 'msg_1', content_index: 0 };
    const events: JsonObject[] = [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', ...place, item: { ...said(''), content: [] } },
      { type: 'response.output_text.delta', ...place, delta: 'Yes.' },
      { type: 'response.output_item.done', ...place, item: said('Yes.') },
      { type: 'response.completed', response: whole },
    ];
    const numbered = events.map((event, at): JsonObject => ({ ...event, sequence_number: at }));
    return { whole, stream: numbered.map((event) => frame(event, String(event['type']))).join('') };
  },
  'anthropic-messages': (usage) => {
    const base = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up' };
    const stop = { stop_reason: 'end_turn', stop_sequence: null };
    const text = { type: 'text', text: 'Yes.' };
    const begun = { ...base, content: [], usage: { ...usage, output_tokens: 1 } };
    const events: JsonObject[] = [
      { type: 'message_start', message: begun },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } },
      { type: 'content_block_stop', index: 0 },
      // The first event already has the input counts.
      { type: 'message_delta', delta: stop, usage: { output_tokens: usage['output_tokens'] } },
      { type: 'message_stop' },
    ];
    return {
      whole: { ...base, ...stop, content: [text], usage },
      stream: events.map((event) => frame(event, String(event['type']))).join(''),
    };
  },
  'gemini-generate': (usageMetadata) => {
    const content = { role: 'model', parts: [{ text: 'Yes.' }] };
    const base = { responseId: 'r', modelVersion: 'up' };
    const last = { candidates: [{ index: 0, content, finishReason: 'STOP' }], usageMetadata };
    const { promptTokenCount, promptTokensDetails = [] } = usageMetadata;
    const first = { promptTokenCount, promptTokensDetails, totalTokenCount: promptTokenCount };
    return {
      whole: { ...base, ...last },
      stream:
        frame({ ...base, candidates: [{ index: 0, content }], usageMetadata: first }) +
        frame({ ...base, ...last }),
    };
  },
};

const MILLION_TOKENS = (usd: string | undefined): string => (usd ? String(parseUsd(usd)) : '');

function candidateOf({ prices, perRequestUsd = '0' }: Bill): Candidate__Output {
  const steps = prices.map(({ from = 0, ...usd }) => ({
    fromInputTokens: from,
    input: MILLION_TOKENS(usd.input),
    cacheRead: MILLION_TOKENS(usd.cacheRead),
    cacheWrite5m: MILLION_TOKENS(usd.cacheWrite5m),
    cacheWrite1h: MILLION_TOKENS(usd.cacheWrite1h),
    audioInput: MILLION_TOKENS(usd.audioInput),
    imageInput: MILLION_TOKENS(usd.imageInput),
    output: MILLION_TOKENS(usd.output),
    audioOutput: MILLION_TOKENS(usd.audioOutput),
    imageOutput: MILLION_TOKENS(usd.imageOutput),
  }));
  const perRequestNanoUsd = String(parseUsd(perRequestUsd));
  const price = { priceId: 'p', effectiveFromMs: 0, steps, perRequestNanoUsd, perUnitNanoUsd: {} };
  // The bill reads only these fields of a candidate.
  return { price, serviceTier: '' } as unknown as Candidate__Output;
}

const bills = [...CHAT, ...RESPONSES, ...MESSAGES, ...GEMINI];

test.each(bills)('$format, $name', (bill) => {
  const answer = ANSWERS[bill.format]?.(bill.usage);
  if (answer === undefined) throw new Error(`no answer of ${bill.format} is known`);
  const format = FORMATS[bill.format];
  const whole = Buffer.from(JSON.stringify(answer.whole));
  const stream = Buffer.from(answer.stream);
  const tap = format.createUsageTap({ stripUsage: true });
  tap.push(stream);
  tap.finish();
  const decoder = format.createStreamDecoder();
  const meter = createStreamMeter();
  for (const event of [...decoder.push(stream), ...decoder.finish()]) meter.see(event);

  const usages = {
    'whole, passed on': format.inspectResponse(whole).usage,
    'whole, translated': format.decodeResponse(answer.whole).usage?.tokens,
    'streamed, passed on': tap.report.usage,
    'streamed, translated': meter.report.usage,
  };
  const candidate = candidateOf(bill);
  for (const [way, usage] of Object.entries(usages)) {
    const { costNanoUsd, quality } = chargeFor(candidate, usage ? { usage } : {});
    expect({ way, costNanoUsd, quality }).toEqual({
      way,
      costNanoUsd: bill.nanoUsd,
      quality: 'EXACT',
    });
  }
});
