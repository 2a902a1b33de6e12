import { emptyUsage, gatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../normalised';
import { MAX_EVENT_BYTES } from '../sse';
import { createUsageTap } from './tap';
import { everything, plain, read, write } from './test-support/samples';

const event = (type: string, fields: JsonObject = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const text = write(plain);
const events = text.split(/(?<=\n\n)/);
const last = events.at(-1) ?? '';
const firstDelta = events.findIndex((each) => each.includes('output_text.delta'));

function run(text: string) {
  const tap = createUsageTap();
  const parts = [...tap.push(Buffer.from(text)), ...tap.finish()];
  return { text: Buffer.concat(parts).toString(), parts, report: tap.report, ending: tap.ending };
}

test('a complete stream is passed on in as many writes as it came, its terminal event separately', () => {
  const { text: passed, parts, report } = run(text);
  expect(passed).toBe(text);
  expect(parts.map(String)).toEqual([text.slice(0, -last.length), last]);
  expect(report).toMatchObject({
    terminal: true,
    outputSeen: true,
    stopReason: 'stop',
    rawStopReason: 'completed',
    responseId: 'up-2',
    model: 'chat',
    usage: { input: 5, cacheRead: 3, cacheWrite5m: 2, output: 7, reasoning: 4 },
  });
});

test('the ids of output items are read from their events, or from a last event that alone has them', () => {
  const output = [{ type: 'message', id: 'msg_7', role: 'assistant', content: [] }];
  const response = { id: 'resp_7', status: 'completed', output };
  expect(run(event('response.completed', { response })).report.itemIds).toEqual(['msg_7']);
  const added = event('response.output_item.added', { item: output[0] });
  const both = added + event('response.completed', { response });
  expect(run(both).report.itemIds).toEqual(['msg_7']);
});

test('an answer that is incomplete, or calls tools, has that stop reason', () => {
  const cut = plain.map((event) =>
    event.type === 'stop' ? { ...event, reason: 'length' as const } : event,
  );
  expect(run(write(cut)).report).toMatchObject({
    terminal: true,
    stopReason: 'length',
    rawStopReason: 'max_output_tokens',
  });
  expect(run(write(everything)).report).toMatchObject({ stopReason: 'tool_calls' });
});

test('the output estimate grows with the stream, by at least one token per delta', () => {
  const tap = createUsageTap();
  tap.push(Buffer.from(events.slice(0, firstDelta).join('')));
  expect(tap.report.outputSeen).toBe(false);
  tap.push(Buffer.from((events[firstDelta] ?? '').repeat(100)));
  expect(tap.report).toMatchObject({ outputSeen: true, outputTokensEstimate: 100 });
  tap.push(Buffer.from(event('response.output_text.delta', { delta: 'x'.repeat(3_000) })));
  expect(tap.report.outputTokensEstimate).toBeGreaterThan(1_000);
  expect(tap.report.outputTokensEstimate).toBeLessThan(1_200);
});

test('every kind of delta counts, with and without an event name or spaces', () => {
  const [created = ''] = events;
  for (const type of [
    'refusal',
    'function_call_arguments',
    'reasoning_text',
    'mcp_call_arguments',
  ]) {
    const delta = event(`response.${type}.delta`, { delta: 'a "quoted" \\ word' });
    const unnamed = delta.slice(delta.indexOf('data'));
    for (const each of [delta, unnamed, delta.replace('"delta":', '"delta": ')]) {
      expect(run(created + each).report.outputSeen).toBe(true);
      expect(run(created + each).text).toBe(created + each);
    }
  }
});

test('generated text that looks like protocol is not parsed as protocol', () => {
  const says =
    '"sequence_number":99,"usage":{"input_tokens":1}} \n\nevent: response.completed\n{"error":{}}';
  const spoken = write([
    ...plain.slice(0, 1),
    { type: 'text', choice: 0, text: says },
    ...plain.slice(2),
  ]);
  const { report, text: passed } = run(spoken);
  expect(passed).toBe(spoken);
  expect(report).toMatchObject({ terminal: true, usage: { input: 5 } });
});

const head = events.slice(0, -1).join('');
test.each([
  ['nothing', '', 'EARLY_END'],
  ['no terminal event', head, 'EARLY_END'],
  ['half of it', head + last.slice(0, 50), 'EARLY_END'],
  ['the terminal event of another format', `${head}data: [DONE]\n\n`, 'EARLY_END'],
  ['an event that is not JSON', `${head}data: {"type\n\n${last}`, 'INVALID_RESPONSE'],
  ['a terminal event without a response', head + event('response.completed'), 'INVALID_RESPONSE'],
  ['a web page', '<html>\n\n</html>\n\n', 'EARLY_END'],
  ['an error event', head + event('error', { message: 'overloaded' }) + last, 'UPSTREAM_ERROR'],
  [
    'a failed response',
    head +
      event('response.failed', {
        response: { error: { code: 'server_error', message: 'overloaded' } },
      }),
    'UPSTREAM_ERROR',
  ],
])('%s is a fault, and only the events before it are passed on', (_, text, fault) => {
  const { report, text: passed } = run(text);
  expect(report).toMatchObject({ terminal: false, fault, error: { code: 'upstream_error' } });
  expect([head, '<html>\n\n</html>\n\n', '']).toContain(passed);
  if (fault === 'UPSTREAM_ERROR') expect(report.error?.message).toBe('overloaded');
});

test('a terminal event without its blank line is accepted, and completed', () => {
  const { report, text: passed } = run(text.trimEnd());
  expect(report.terminal).toBe(true);
  expect(passed).toBe(text);
});

test('comments are passed on, data after the terminal event is not', () => {
  expect(run(`: keep-alive\n\n${text}data: {"more":1}\n\n`).text).toBe(`: keep-alive\n\n${text}`);
});

test('an event without an end is a fault before it exhausts memory', () => {
  const tap = createUsageTap();
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let bytes = 0; bytes <= MAX_EVENT_BYTES; bytes += piece.length) tap.push(piece);
  expect(tap.report.fault).toBe('INVALID_RESPONSE');
});

describe('ended by the gateway', () => {
  const open = events.slice(0, firstDelta + 2).join('');
  const numbers = (text: string) => read(text).map((wire) => Number(wire['sequence_number']));
  const rising = (list: number[]): boolean =>
    list.every((number, at) => at === 0 || number === (list[at - 1] ?? 0) + 1);

  test('with an error: the answer so far has failed, with the next sequence number', () => {
    const { ending, text: passed } = run(open);
    const whole = passed + (ending?.fail(gatewayError('upstream_error', 'Gone.')) ?? '');
    expect(rising(numbers(whole))).toBe(true);
    expect(read(whole).at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        id: 'up-2',
        status: 'failed',
        instructions: 'Be brief.',
        error: { message: 'Gone.', type: 'upstream_error' },
        output: [{ type: 'message', status: 'incomplete', content: [{ text: 'Hello' }] }],
      },
    });
  });

  test('at a bound: open items are closed and keep their content', () => {
    const { ending, text: passed } = run(open);
    const tokens = { ...emptyUsage(), input: 4, output: 2 };
    const whole = passed + (ending?.cut(tokens) ?? '');
    expect(rising(numbers(whole))).toBe(true);
    const added = read(whole).slice(read(passed).length);
    expect(added.map(({ type }) => type)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ]);
    expect(added.at(-1)).toMatchObject({
      response: {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: { input_tokens: 4, output_tokens: 2 },
        output: [{ status: 'incomplete', content: [{ type: 'output_text', text: 'Hello' }] }],
      },
    });
  });

  test('a truncated call is incomplete at a bound, and left out after an error', () => {
    const arguments_ = everything.findLastIndex(({ type }) => type === 'tool_delta');
    const begun = write(everything.slice(0, arguments_ - 2));
    const { ending } = run(begun);
    const outputOf = (text = ''): JsonObject[] =>
      (read(text).at(-1) as { response: { output: JsonObject[] } }).response.output;
    expect(outputOf(ending?.cut(emptyUsage())).at(-1)).toMatchObject({
      type: 'function_call',
      status: 'incomplete',
      arguments: '{"at"',
    });
    expect(outputOf(ending?.fail(gatewayError('upstream_error'))).at(-1)).toMatchObject({
      type: 'image_generation_call',
    });
  });

  test.each([
    ['context_length_exceeded', 'context_length_exceeded'],
    ['image_too_large', 'image_too_large'],
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['server_error', 'server_error'],
    ['of_tomorrow', 'server_error'],
  ])('a response that failed with %s ends with %s', (code, told) => {
    const error = { code, message: 'Sorry.' };
    const failed = event('response.failed', { response: { status: 'failed', error } });
    const { ending, report } = run((events[0] ?? '') + failed);
    const ended = ending?.fail(report.error ?? gatewayError('internal_error')) ?? '';
    expect(read(ended)).toMatchObject([
      { type: 'response.failed', response: { error: { code: told, message: 'Sorry.' } } },
    ]);
  });

  test('before any event, the ending is complete in itself', () => {
    const tap = createUsageTap();
    const text = tap.ending?.fail(gatewayError('upstream_error')) ?? '';
    expect(read(text)).toMatchObject([{ type: 'response.failed', sequence_number: 0 }]);
  });
});
