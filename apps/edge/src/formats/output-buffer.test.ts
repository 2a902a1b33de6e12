import * as fc from 'fast-check';

import { FORMATS, type FormatName } from '.';
import { createTranslation } from '../operations/passage';
import { createOutputBuffer, MAX_BUFFERED_CHARACTERS, PLAIN_TEXT } from './output-buffer';

type Upstream = Exclude<FormatName, 'unified' | 'gemini-generate-array'>;
type Wire = object;

const named = (type: string, fields: Wire) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const data = (wire: Wire) => `data: ${JSON.stringify(wire)}\n\n`;
const chunk = (delta: Wire, fields: Wire = {}, index = 0) =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index, delta, logprobs: null, finish_reason: null, ...fields }],
    usage: null,
  });
const call = (fields: Wire) => chunk({ tool_calls: [{ index: 0, ...fields }] });
const piece = (parts: Wire[], fields: Wire = {}) =>
  data({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...fields }] });

const THOUGHT = 'Paris is in France.';
const TEXT = 'Il fait "beau" à Paris 😀, 你好.';
const [HEAD, MIDDLE, TAIL] = [TEXT.slice(0, 8), TEXT.slice(8, 20), TEXT.slice(20)];
const NAME = 'get_weather';
const ARGUMENTS = '{"city":"Paris","days":3}';
const [ARGUMENTS_HEAD, ARGUMENTS_TAIL] = [ARGUMENTS.slice(0, 9), ARGUMENTS.slice(9)];

/** The same answer by each vendor: a thought, a text and a call, without usage. */
const STREAMS: Readonly<Record<Upstream, { events: string[]; usage: string[]; end: string[] }>> = {
  'openai-chat': {
    events: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: THOUGHT.slice(0, 5) }),
      chunk({ reasoning_content: THOUGHT.slice(5) }),
      ...[HEAD, MIDDLE, TAIL].map((content) => chunk({ content })),
      call({ id: 'c', type: 'function', function: { name: NAME, arguments: '' } }),
      call({ function: { arguments: ARGUMENTS_HEAD } }),
      call({ function: { arguments: ARGUMENTS_TAIL } }),
      chunk({}, { finish_reason: 'tool_calls' }),
    ],
    usage: [data({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 33 } })],
    end: ['data: [DONE]\n\n'],
  },
  'anthropic-messages': {
    events: [
      named('message_start', {
        message: { id: 'msg', type: 'message', role: 'assistant', content: [], model: 'm' },
      }),
      named('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }),
      ...[THOUGHT.slice(0, 5), THOUGHT.slice(5)].map((thinking) =>
        named('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking } }),
      ),
      named('content_block_delta', {
        index: 0,
        delta: { type: 'signature_delta', signature: 'c2VhbA==' },
      }),
      named('content_block_stop', { index: 0 }),
      named('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
      ...[HEAD, MIDDLE, TAIL].map((text) =>
        named('content_block_delta', { index: 1, delta: { type: 'text_delta', text } }),
      ),
      named('content_block_stop', { index: 1 }),
      named('content_block_start', {
        index: 2,
        content_block: { type: 'tool_use', id: 'c', name: NAME, input: {} },
      }),
      ...[ARGUMENTS_HEAD, ARGUMENTS_TAIL].map((text) =>
        named('content_block_delta', {
          index: 2,
          delta: { type: 'input_json_delta', partial_json: text },
        }),
      ),
      named('content_block_stop', { index: 2 }),
    ],
    usage: [
      named('message_delta', {
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 9, output_tokens: 33 },
      }),
    ],
    end: [named('message_stop', {})],
  },
  'openai-responses': {
    events: [
      named('response.created', { response: { id: 'r', status: 'in_progress', output: [] } }),
      named('response.output_item.added', {
        output_index: 0,
        item: { id: 'rs', type: 'reasoning', summary: [] },
      }),
      ...[THOUGHT.slice(0, 5), THOUGHT.slice(5)].map((delta) =>
        named('response.reasoning_summary_text.delta', {
          output_index: 0,
          summary_index: 0,
          delta,
        }),
      ),
      named('response.output_item.added', {
        output_index: 1,
        item: { id: 'msg', type: 'message', role: 'assistant', content: [] },
      }),
      ...[HEAD, MIDDLE, TAIL].map((delta) =>
        named('response.output_text.delta', { output_index: 1, content_index: 0, delta }),
      ),
      named('response.output_item.added', {
        output_index: 2,
        item: { id: 'fc', type: 'function_call', call_id: 'c', name: NAME, arguments: '' },
      }),
      ...[ARGUMENTS_HEAD, ARGUMENTS_TAIL].map((delta) =>
        named('response.function_call_arguments.delta', { output_index: 2, delta }),
      ),
    ],
    usage: [],
    end: [
      named('response.completed', {
        response: {
          id: 'r',
          status: 'completed',
          output: [],
          usage: { input_tokens: 9, output_tokens: 33, total_tokens: 42 },
        },
      }),
    ],
  },
  'gemini-generate': {
    events: [
      piece([{ text: THOUGHT.slice(0, 5), thought: true }]),
      piece([{ text: THOUGHT.slice(5), thought: true }]),
      ...[HEAD, MIDDLE, TAIL].map((text) => piece([{ text }])),
      piece([{ functionCall: { name: NAME, args: JSON.parse(ARGUMENTS) as Wire } }], {
        finishReason: 'STOP',
      }),
    ],
    usage: [data({ usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 33 } })],
    end: [],
  },
};

const SAID = [THOUGHT, TEXT, `${NAME}${ARGUMENTS}`];
const NAMES = Object.keys(STREAMS) as Upstream[];

const OPTIONS = { stripUsage: false, stripRunningUsage: true };
const CONTEXT = { requestId: 'r', provider: 'p', model: 'm', createdAtS: 1, includeUsage: true };

/** The bytes, cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...[...places].map((place) => place % bytes.length).sort((a, b) => a - b)];
  return at.map((from, index) => bytes.subarray(from, at[index + 1] ?? bytes.length));
}

function relayed(name: Upstream, pieces: readonly Buffer[]) {
  const tap = FORMATS[name].createUsageTap(OPTIONS);
  for (const bytes of pieces) tap.push(Buffer.from(bytes));
  return tap;
}

function translated(name: Upstream, pieces: readonly Buffer[]) {
  const client = name === 'openai-chat' ? FORMATS['anthropic-messages'] : FORMATS['openai-chat'];
  const passage = createTranslation(client, FORMATS[name], CONTEXT);
  for (const bytes of pieces) passage.push(Buffer.from(bytes));
  return passage;
}

const WAYS = { relayed, translated };

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('a %s stream', (way) => {
  test.each(NAMES)('of %s without a count buffers its output, wherever it is cut', (name) => {
    const bytes = Buffer.from(STREAMS[name].events.join(''));
    const places = fc.array(fc.nat(bytes.length), { maxLength: 20 });
    fc.assert(
      fc.property(places, (given) => {
        const said = WAYS[way](name, cut(bytes, given)).output?.read();
        expect(said?.texts.filter((text) => text !== '')).toEqual(SAID);
        expect(said).toMatchObject({ unbufferedCharacters: 0, opaqueBytes: 0, countedTokens: 0 });
      }),
      { numRuns: 30 },
    );
  });

  test.each(NAMES)('of %s buffers nothing once it is counted', (name) => {
    const { events, usage, end } = STREAMS[name];
    const all = Buffer.from([...events, ...usage, ...end].join(''));
    const { output, report } = WAYS[way](name, [all]);
    expect(report.usage?.output).toBe(33);
    expect(output?.read()).toMatchObject({
      texts: [],
      bufferedCharacters: 0,
      unbufferedCharacters: 0,
    });
  });
});

test('parallel choices are buffered separately', () => {
  const events = [chunk({ role: 'assistant' }), chunk({ role: 'assistant' }, {}, 1)];
  for (const word of ['one', 'two', 'three']) {
    events.push(chunk({ content: word }), chunk({ content: word.toUpperCase() }, {}, 1));
  }
  const bytes = [Buffer.from(events.join(''))];
  for (const way of Object.values(WAYS)) {
    if (way === translated) continue;
    expect(way('openai-chat', bytes).output?.read().texts).toEqual(['onetwothree', 'ONETWOTHREE']);
  }
});

test('a stream with running counts buffers nothing', () => {
  const usage = { prompt_tokens: 9, completion_tokens: 1 };
  const counted = (content: string) =>
    data({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage });
  const tap = FORMATS['openai-chat'].createUsageTap(OPTIONS);
  for (const word of ['one', 'two', 'three']) {
    tap.push(Buffer.from(counted(word)));
    expect(tap.output.read().bufferedCharacters).toBe(0);
  }
});

test('output after the last count is buffered and added to it', () => {
  const counts = { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5 } };
  const first = JSON.stringify({
    candidates: [{ content: { parts: [{ text: 'a' }] } }],
    ...counts,
  });
  const tap = FORMATS['gemini-generate'].createUsageTap(OPTIONS);
  tap.push(Buffer.from(`data: ${first}\n\n${piece([{ text: 'b' }])}${piece([{ text: 'c' }])}`));
  expect(tap.report.usage).toBeUndefined();
  expect(tap.output.read()).toMatchObject({ texts: ['bc'], countedTokens: 5 });
});

test('the buffer is bounded, and output beyond it is measured', () => {
  const output = createOutputBuffer(PLAIN_TEXT);
  const words = 'four'.repeat(1_024);
  for (let at = 0; at < 100; at += 1) output.add(0, words);
  const { texts, bufferedCharacters, unbufferedCharacters } = output.read();
  expect(texts.join('')).toHaveLength(MAX_BUFFERED_CHARACTERS);
  expect(bufferedCharacters).toBe(MAX_BUFFERED_CHARACTERS);
  expect(unbufferedCharacters).toBe(100 * words.length - MAX_BUFFERED_CHARACTERS);
});
