// Searches that a provider's own tool has made: a unit of the record, and of the bill where the model
// has a price for it, whether the answer is passed on or translated, whole or as a stream.

import type { Candidate__Output } from '@tollgate/contracts/node';
import { chargeFor } from '../pipeline/charge';
import { createStreamMeter, FORMATS, type FormatName, type JsonObject } from '.';

const named = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const data = (wire: object) => `data: ${JSON.stringify(wire)}\n\n`;

interface Answer {
  format: FormatName;
  name: string;
  whole: JsonObject;
  stream: string;
  searches: number;
}

function messages(): Answer {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
  };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [] };
  return {
    format: 'anthropic-messages',
    name: 'counted beside the tokens',
    whole: { ...message, stop_reason: 'end_turn', usage },
    stream:
      named('message_start', { message: { ...message, usage: { input_tokens: 10 } } }) +
      named('message_delta', { delta: { stop_reason: 'end_turn' }, usage }) +
      named('message_stop'),
    searches: 2,
  };
}

function responses(): Answer {
  const call = (action: object) => ({ id: 'ws', type: 'web_search_call', ...action });
  const output = [
    call({ action: { type: 'search', query: 'a' } }),
    call({}),
    call({ action: { type: 'open_page', url: 'https://example.com' } }),
    { id: 'i', type: 'message', role: 'assistant', content: [] },
  ];
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const whole = { id: 'r', object: 'response', model: 'gpt', status: 'completed', output, usage };
  const created = { ...whole, status: 'in_progress', output: [], usage: null };
  return {
    format: 'openai-responses',
    name: 'items of the output, of which opened pages are none',
    whole,
    stream:
      named('response.created', { response: created }) +
      named('response.completed', { response: whole }),
    searches: 2,
  };
}

function gemini(modelVersion: string, searches: number): Answer {
  const piece = (text: string, fields: object = {}) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, ...fields }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion,
    responseId: 'r',
  });
  const grounded = { groundingMetadata: { webSearchQueries: ['a', 'b', 'c'] } };
  const last = { ...grounded, finishReason: 'STOP' };
  return {
    format: 'gemini-generate',
    name: `queries of ${modelVersion}`,
    whole: piece('Yes.', last),
    // Told before the end, and again with it.
    stream: data(piece('Y')) + data(piece('es', grounded)) + data(piece('.', last)),
    searches,
  };
}

const ANSWERS = [messages(), responses(), gemini('gemini-2.5-pro', 1), gemini('gemini-3-pro', 3)];

/** A dollar and two dollars per million tokens, a cent a search. */
const candidate = {
  price: {
    priceId: 'p',
    effectiveFromMs: 0,
    steps: [{ fromInputTokens: 0, input: '1000000000', output: '2000000000' }],
    perRequestNanoUsd: '0',
    perUnitNanoUsd: { web_search: '10000000' },
  },
} as unknown as Candidate__Output;

test.each(ANSWERS)('$format: $name', ({ format: name, whole, stream, searches }) => {
  const format = FORMATS[name];
  const bytes = Buffer.from(stream);
  const tap = format.createUsageTap({ stripUsage: false });
  tap.push(Buffer.from(bytes));
  tap.finish();
  const decoder = format.createStreamDecoder();
  const meter = createStreamMeter();
  for (const event of [...decoder.push(bytes), ...decoder.finish()]) meter.see(event);
  const decoded = format.decodeResponse(whole).usage;

  const ways = {
    'whole, passed on': format.inspectResponse(Buffer.from(JSON.stringify(whole))),
    'whole, translated': { usage: decoded?.tokens, units: decoded?.units },
    'streamed, passed on': tap.report,
    'streamed, translated': meter.report,
  };
  for (const [way, { usage, units }] of Object.entries(ways)) {
    const charge = chargeFor(candidate, {
      ...(usage ? { usage } : {}),
      ...(units ? { units } : {}),
    });
    expect({ way, ...charge }).toMatchObject({
      way,
      units: { web_search: String(searches) },
      quality: 'EXACT',
      // 10 at 1 000 and 5 at 2 000, and the searches.
      costNanoUsd: 20_000n + BigInt(searches) * 10_000_000n,
    });
  }
});

test('an answer without searches has no unit for them', () => {
  const { whole } = messages();
  const usage = { input_tokens: 10, output_tokens: 5, server_tool_use: null };
  expect(FORMATS['anthropic-messages'].decodeResponse({ ...whole, usage }).usage?.units).toBe(
    undefined,
  );
});
