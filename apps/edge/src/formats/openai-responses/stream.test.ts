import { emptyUsage, gatewayError } from '@tollgate/contracts';

import { foldStream } from '../fold';
import type { JsonObject, StreamEvent } from '../normalised';
import { encodeStreamError } from './error';
import { createStreamDecoder } from './stream-decoder';
import { context, everything, plain, read, usage, whole, write } from './test-support/samples';

function decode(text: string): StreamEvent[] {
  const decoder = createStreamDecoder();
  return [...decoder.push(Buffer.from(text)), ...decoder.finish()];
}

const event = (type: string, fields: JsonObject = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`;
const CREATED = event('response.created', { response: { id: 'r1', model: 'm', created_at: 5 } });
const completed = (fields: JsonObject = {}): string =>
  event('response.completed', {
    response: { id: 'r1', status: 'completed', output: [], ...fields },
  });

const types = (text: string): unknown[] => read(text).map(({ type }) => type);

describe('encoded', () => {
  test('a text has its events in order', () => {
    expect(types(write(plain))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  test('sequence numbers start at zero and rise by one', () => {
    const numbers = read(write(everything)).map(({ sequence_number: number }) => number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  test('one event is terminal, and nothing follows it', () => {
    const again: StreamEvent[] = [...everything, { type: 'text', choice: 0, text: 'x' }];
    const seen = types(write([...again, { type: 'end' }]));
    const terminal = /^response\.(completed|incomplete|failed)$/;
    expect(seen.filter((type) => terminal.test(String(type)))).toEqual(['response.completed']);
    expect(seen.at(-1)).toBe('response.completed');
  });

  test('every item is added once, done once, and in the answer as it was when done', () => {
    const events = read(write(everything));
    const of = (type: string) =>
      events.filter((wire) => wire['type'] === type).map(({ output_index: index }) => index);
    const added = of('response.output_item.added');
    expect(added).toEqual(added.map((_, index) => index));
    expect(of('response.output_item.done').sort((a, b) => Number(a) - Number(b))).toEqual(added);
    const done = events
      .filter(({ type }) => type === 'response.output_item.done')
      .sort((a, b) => Number(a['output_index']) - Number(b['output_index']));
    const last = events.at(-1) as { response: JsonObject };
    expect(last.response['output']).toEqual(done.map(({ item }) => item));
  });

  test('the last event holds the unary answer', () => {
    const last = read(write(everything)).at(-1);
    const answer = foldStream(decode(write(everything)));
    expect(last).toMatchObject({ response: { id: 'up-1', usage: { input_tokens: 10 } } });
    expect(answer.choices).toEqual(whole.choices);
  });

  test.each([
    ['stop', 'response.completed', 'completed', null],
    ['tool_calls', 'response.completed', 'completed', null],
    ['length', 'response.incomplete', 'incomplete', { reason: 'max_output_tokens' }],
    ['content_filter', 'response.incomplete', 'incomplete', { reason: 'content_filter' }],
    ['refusal', 'response.incomplete', 'incomplete', { reason: 'content_filter' }],
    ['pause', 'response.incomplete', 'incomplete', {}],
    ['other', 'response.completed', 'completed', null],
    ['error', 'response.failed', 'failed', null],
  ] as const)('an answer with the stop reason %s ends with %s', (reason, type, status, details) => {
    const events = plain.map((event) => (event.type === 'stop' ? { ...event, reason } : event));
    const [item, last] = read(write(events)).slice(-2);
    expect(last).toMatchObject({ type, response: { status, incomplete_details: details } });
    const cut = status === 'completed' ? 'completed' : 'incomplete';
    expect(item).toMatchObject({ type: 'response.output_item.done', item: { status: cut } });
  });

  test('a refusal with text is a complete answer', () => {
    const events: StreamEvent[] = [
      { type: 'refusal', choice: 0, text: 'I cannot.' },
      { type: 'stop', choice: 0, reason: 'refusal', rawReason: 'refusal' },
      { type: 'end' },
    ];
    expect(types(write(events)).at(-1)).toBe('response.completed');
  });

  test('an error ends the stream as failed, without a truncated call', () => {
    const cut = everything.slice(0, -4);
    const error = gatewayError('upstream_timeout', 'Too late.');
    const text = write([...cut, { type: 'error', error, fault: 'UPSTREAM_ERROR' }]);
    const events = read(text);
    const last = events.at(-1) as { response: { output: JsonObject[] } };
    expect(last).toMatchObject({
      type: 'response.failed',
      sequence_number: events.length - 1,
      response: {
        id: 'up-1',
        status: 'failed',
        error: { code: 'server_error', type: 'upstream_timeout', message: 'Too late.' },
      },
    });
    const kinds = last.response.output.map(({ type }) => type);
    expect(kinds).toEqual(['reasoning', 'reasoning', 'message', 'image_generation_call']);
    expect(types(text)).not.toContain('response.function_call_arguments.done');
  });

  test('an error before any event is valid for clients', () => {
    const text = encodeStreamError(gatewayError('rate_limit_exceeded', 'Wait.'), context);
    const [failed] = read(text);
    expect(failed).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Wait.' } },
    });
    expect(failed?.['sequence_number']).toBeGreaterThan(1_000_000_000);
  });

  test('missing usage is estimated', () => {
    const tokens = { ...emptyUsage(), input: 1, output: 2 };
    const silent = plain.filter(({ type }) => type !== 'usage');
    expect(read(write(silent, { estimatedUsage: tokens })).at(-1)).toMatchObject({
      response: { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } },
    });
    expect(read(write(silent)).at(-1)).not.toHaveProperty('response.usage');
  });

  test('further choices are left out', () => {
    const second: StreamEvent = { type: 'text', choice: 1, text: 'other' };
    expect(write([...plain.slice(0, 3), second, ...plain.slice(3)])).toBe(write(plain));
  });

  test('the size of events does not grow with the answer', () => {
    const pieces = (count: number): StreamEvent[] => [
      ...Array.from({ length: count }, () => ({ type: 'text', choice: 0, text: 'word ' }) as const),
      { type: 'end' },
    ];
    const text = write(pieces(100_000));
    expect(text.length).toBeLessThan(40_000_000);
    expect(read(text).at(-1)).toMatchObject({ type: 'response.completed' });
  });
});

describe('decoded', () => {
  test('an encoded stream decodes to the same answer', () => {
    const answer = foldStream(decode(write(everything)));
    // The image is an item of its own, as if a tool had drawn it.
    const counted = { ...usage, units: { image: 1 } };
    expect(answer).toEqual({ ...whole, model: 'chat', usage: counted });
  });

  test('content that an item has only when done is decoded once', () => {
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] };
    const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const text =
      CREATED +
      event('response.output_item.added', { output_index: 0, item: { type: 'message' } }) +
      event('response.output_item.done', { output_index: 0, item: message }) +
      event('response.output_item.done', { output_index: 1, item: call }) +
      completed({ output: [message, call] });
    expect(decode(text).slice(1, -1)).toEqual([
      { type: 'text', choice: 0, text: 'Hello' },
      { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 'c', name: 'f' },
      { type: 'tool_delta', choice: 0, tool: 0, arguments: '{}' },
      { type: 'stop', choice: 0, reason: 'tool_calls', rawReason: 'completed' },
    ]);
  });

  test('content that only the last event has is decoded', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hello' }] }];
    expect(foldStream(decode(completed({ output }))).choices[0]?.content).toEqual([
      { type: 'text', text: 'Hello' },
    ]);
  });

  test('thinking is the reasoning text or its summary, never both', () => {
    const delta = (kind: string, index: JsonObject, text: string): string =>
      event(`response.reasoning_${kind}.delta`, { output_index: 0, ...index, delta: text });
    const summary =
      delta('summary_text', { summary_index: 0 }, 'First') +
      delta('summary_text', { summary_index: 1 }, 'Second');
    const content = delta('text', { content_index: 0 }, 'Hm.');
    const thoughts = (text: string): string =>
      decode(CREATED + text + completed())
        .map((event) => (event.type === 'thinking' ? event.text : ''))
        .join('');
    expect(thoughts(summary)).toBe('First\n\nSecond');
    expect(thoughts(content + summary)).toBe('Hm.');
  });

  test('citations count characters in the whole text', () => {
    const annotation = { type: 'url_citation', url: 'u', start_index: 1, end_index: 2 };
    const text =
      CREATED +
      event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'abcd' }) +
      event('response.output_text.delta', { output_index: 1, content_index: 0, delta: 'ef' }) +
      event('response.output_text.annotation.added', { output_index: 1, annotation }) +
      event('response.output_text.annotation.added', {
        output_index: 1,
        annotation: { type: 'file_citation', file_id: 'f' },
      }) +
      completed();
    expect(decode(text).filter(({ type }) => type === 'citation')).toEqual([
      { type: 'citation', choice: 0, citation: { url: 'u', startIndex: 5, endIndex: 6 } },
    ]);
  });

  test.each([
    ['a failed response', event('response.failed', { response: { status: 'failed' } })],
    ['a flat error', event('error', { code: null, message: 'overloaded' })],
    ['a nested error', event('error', { error: { message: 'overloaded' } })],
    ['an error of the chat format', 'data: {"error":{"message":"overloaded"}}\n\n'],
    ['a cancelled response', event('response.cancelled', { response: { status: 'cancelled' } })],
  ])('%s is an error, and nothing follows it', (_, failure) => {
    const events = decode(CREATED + failure + completed());
    expect(events.at(-1)).toMatchObject({ type: 'error', fault: 'UPSTREAM_ERROR' });
    expect(events.filter(({ type }) => type === 'end')).toEqual([]);
  });

  test.each([
    ['rate_limit_exceeded', 'upstream_rate_limited'],
    ['invalid_prompt', 'upstream_rejected'],
    ['server_error', 'upstream_error'],
    ['of_tomorrow', 'upstream_error'],
  ])('a response that failed with %s is %s', (code, ours) => {
    const error = { code, message: 'Sorry.' };
    const failed = event('response.failed', { response: { status: 'failed', error } });
    expect(decode(CREATED + failed).at(-1)).toMatchObject({
      error: { code: ours, message: 'Sorry.', details: { upstreamCode: code } },
    });
  });

  test.each([
    ['nothing', '', 'EARLY_END'],
    ['no last event', CREATED + event('response.output_item.done'), 'EARLY_END'],
    ['the terminal event of another format', `${CREATED}data: [DONE]\n\n`, 'EARLY_END'],
    ['half an event', `${CREATED}event: response.completed\ndata: {"type":`, 'EARLY_END'],
    ['an event that is not JSON', `${CREATED}data: {"type\n\n`, 'INVALID_RESPONSE'],
    ['a last event without a response', event('response.completed'), 'INVALID_RESPONSE'],
    [
      'a last event without output',
      event('response.completed', { response: {} }),
      'INVALID_RESPONSE',
    ],
    [
      'arguments without a call',
      CREATED + event('response.function_call_arguments.delta', { output_index: 3, delta: '{' }),
      'INVALID_RESPONSE',
    ],
    [
      'a call without a name',
      CREATED + event('response.output_item.added', { item: { type: 'function_call' } }),
      'INVALID_RESPONSE',
    ],
  ])('%s is a fault', (_, text, fault) => {
    expect(decode(text).at(-1)).toMatchObject({ type: 'error', fault });
  });

  test('a last event without its blank line is accepted', () => {
    expect(decode(write(plain).trimEnd()).at(-1)).toEqual({ type: 'end' });
  });

  test('state per stream is bounded', () => {
    const items = Array.from({ length: 3_000 }, (_, output_index) =>
      event('response.output_item.added', {
        output_index,
        item: { type: 'function_call', call_id: `c${output_index}`, name: 'f' },
      }),
    );
    const starts = decode(CREATED + items.join('') + completed()).filter(
      ({ type }) => type === 'tool_start',
    );
    expect(starts.length).toBeLessThanOrEqual(1_024);
  });
});
