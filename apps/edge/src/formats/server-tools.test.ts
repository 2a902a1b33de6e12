// Searches by a provider's own tool: a unit of the record, and of the bill if the model has a price
// for it, whether the answer is passed on or translated, unary or streamed.

import type { Candidate__Output } from '@tollgate/contracts/node';

import { createStreamMeter, FORMATS, type FormatName, type JsonObject } from '.';
import { chargeFor } from '../exchange/charge';

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
    // The count comes before the end, and again with it.
    stream: data(piece('Y')) + data(piece('es', grounded)) + data(piece('.', last)),
    searches,
  };
}

const ANSWERS = [messages(), responses(), gemini('gemini-2.5-pro', 1), gemini('gemini-3-pro', 3)];

/** One and two dollars per million tokens, a cent per search. */
const candidate = {
  price: {
    priceId: 'p',
    effectiveFromMs: 0,
    steps: [{ fromInputTokens: 0, input: '1000000000', output: '2000000000' }],
    perRequestNanoUsd: '0',
    perUnitNanoUsd: { web_search: '10000000' },
  },
  serviceTier: '',
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

test('an answer without searches has no unit', () => {
  const { whole } = messages();
  const usage = { input_tokens: 10, output_tokens: 5, server_tool_use: null };
  expect(FORMATS['anthropic-messages'].decodeResponse({ ...whole, usage }).usage?.units).toBe(
    undefined,
  );
});

describe('other tools that the provider runs', () => {
  const call = (type: string, fields: object = {}) => ({ id: 'i', type, ...fields });
  const output = [
    call('file_search_call'),
    call('code_interpreter_call', { container_id: 'c1' }),
    call('code_interpreter_call', { container_id: 'c1' }),
    call('code_interpreter_call', { container_id: 'c2' }),
    call('shell_call'),
    call('image_generation_call', { size: '1024x1024', quality: 'high' }),
    call('image_generation_call', { status: 'failed' }),
    call('mcp_call'),
    call('function_call', { name: 'f', call_id: 'c', arguments: '{}' }),
    call('oracle_call'),
  ];
  const units = { file_search: 1, code_execution: 2, image_high_1024x1024: 1, tool_call: 1 };
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const whole = { id: 'r', object: 'response', model: 'gpt', status: 'completed', output, usage };

  test('items are counted', () => {
    const format = FORMATS['openai-responses'];
    expect(format.inspectResponse(Buffer.from(JSON.stringify(whole))).units).toEqual(units);
  });

  test('items of a stream are counted when they end, also if the stream is cut', () => {
    const tap = FORMATS['openai-responses'].createUsageTap({ stripUsage: false });
    const created = named('response.created', { response: { ...whole, output: [], usage: null } });
    const done = output.map((item) => named('response.output_item.done', { item }));
    tap.push(Buffer.from(created + done.slice(0, 4).join('')));
    expect(tap.report.units).toEqual({ file_search: 1, code_execution: 2 });
    tap.push(
      Buffer.from(done.slice(4).join('') + named('response.completed', { response: whole })),
    );
    expect(tap.report).toMatchObject({ terminal: true, units });
  });

  test('in a messages stream, items are counted when they begin', () => {
    const tap = FORMATS['anthropic-messages'].createUsageTap({ stripUsage: false });
    const block = (name: string) =>
      named('content_block_start', { index: 0, content_block: call('server_tool_use', { name }) });
    const message = { id: 'm', type: 'message', content: [], usage: { input_tokens: 10 } };
    tap.push(Buffer.from(named('message_start', { message }) + block('web_search')));
    expect(tap.report.units).toEqual({ web_search: 1 });
    tap.push(Buffer.from(block('web_search') + block('bash_code_execution')));
    expect(tap.report.units).toEqual({ web_search: 2, code_execution: 1 });
    // The vendor does not bill a failed search.
    const counted = { output_tokens: 5, server_tool_use: { web_search_requests: 1 } };
    const ending = named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: counted });
    tap.push(Buffer.from(ending + named('message_stop')));
    expect(tap.report.units).toEqual({ web_search: 1 });
  });

  test('the usage of chat servers is read, where they report it', () => {
    const tokens = { prompt_tokens: 10, completion_tokens: 5 };
    const answer = (more: object) =>
      Buffer.from(
        JSON.stringify({
          id: 'c',
          choices: [{ index: 0, message: { content: 'Yes.' }, finish_reason: 'stop' }],
          usage: { ...tokens, ...more },
        }),
      );
    const chat = FORMATS['openai-chat'];
    expect(chat.inspectResponse(answer({ num_search_queries: 2 })).units).toEqual({
      web_search: 2,
    });
    const counted = { server_tool_use: { web_search_requests: 3 } };
    expect(chat.inspectResponse(answer(counted)).units).toEqual({ web_search: 3 });
    expect(chat.inspectResponse(answer({})).units).toBe(undefined);
  });

  test('an answer that cites a map counts as one maps search', () => {
    const groundingChunks = [{ maps: { placeId: 'p' } }, { maps: { placeId: 'q' } }];
    const candidate = {
      content: { parts: [{ text: 'Yes.' }], role: 'model' },
      finishReason: 'STOP',
      groundingMetadata: { groundingChunks },
    };
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const body = Buffer.from(JSON.stringify({ candidates: [candidate], usageMetadata }));
    const { units: found } = FORMATS['gemini-generate'].inspectResponse(body);
    expect(found).toEqual({ maps_search: 1 });
  });
});
