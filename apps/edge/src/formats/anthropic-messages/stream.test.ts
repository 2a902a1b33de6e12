import { emptyUsage } from '@tollgate/contracts';

import type { ReplyContext } from '../format';
import { textOf } from '../json';
import { createStreamMeter } from '../meter';
import type { JsonObject, StreamEvent } from '../normalised';
import { writeEvent } from './events';
import { createStreamDecoder } from './stream-decoder';
import { createStreamEncoder } from './stream-encoder';

const context: ReplyContext = {
  requestId: 'r1',
  provider: 'provider_a',
  model: 'asked',
  createdAtS: 5,
  includeUsage: true,
};

const begin = (usage: JsonObject = { input_tokens: 9, output_tokens: 1 }): string =>
  writeEvent('message_start', { message: { id: 'msg_1', model: 'claude', content: [], usage } });
const block = (index: number, content_block: JsonObject): string =>
  writeEvent('content_block_start', { index, content_block });
const delta = (index: number, fields: JsonObject): string =>
  writeEvent('content_block_delta', { index, delta: fields });
const close = (index: number): string => writeEvent('content_block_stop', { index });
const ending = (stop_reason: string, fields: JsonObject = {}): string =>
  writeEvent('message_delta', {
    delta: { stop_reason, stop_sequence: null, ...fields },
    usage: { output_tokens: 5 },
  }) + writeEvent('message_stop');

function decode(text: string): StreamEvent[] {
  const decoder = createStreamDecoder();
  return [...decoder.push(Buffer.from(text)), ...decoder.finish()];
}

interface Wire {
  type: string;
  index?: number;
  delta?: JsonObject;
  content_block?: JsonObject;
}

function encode(events: StreamEvent[], given: ReplyContext = context): Wire[] {
  const encoder = createStreamEncoder(given);
  return read(events.map((event) => encoder.encode(event)).join(''));
}

function read(text: string): Wire[] {
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', data = ''] = part.split('\n');
      const wire = JSON.parse(data.slice('data: '.length)) as Wire;
      // Clients skip events whose name is not on a line of its own.
      expect(name).toBe(`event: ${wire.type}`);
      return wire;
    });
}

const start: StreamEvent = { type: 'start', id: 'x', model: 'm' };
const end: StreamEvent = { type: 'end' };
const text = (said: string): StreamEvent => ({ type: 'text', choice: 0, text: said });
const toolStart = (tool: number, name = 'look'): StreamEvent => ({
  type: 'tool_start',
  choice: 0,
  tool,
  kind: 'function',
  id: `t${tool}`,
  name,
});
const toolDelta = (tool: number, said: string): StreamEvent => ({
  type: 'tool_delta',
  choice: 0,
  tool,
  arguments: said,
});
const stop = (reason: 'stop' | 'length' | 'tool_calls'): StreamEvent => ({
  type: 'stop',
  choice: 0,
  reason,
  rawReason: reason,
});

describe('decoded', () => {
  test('text, thinking and its seal, calls, and the final usage', () => {
    const events = decode(
      begin({ input_tokens: 9, cache_read_input_tokens: 4, output_tokens: 1 }) +
        writeEvent('ping') +
        block(0, { type: 'thinking', thinking: '', signature: '' }) +
        delta(0, { type: 'thinking_delta', thinking: 'Hm' }) +
        delta(0, { type: 'signature_delta', signature: 'seal' }) +
        close(0) +
        block(1, { type: 'redacted_thinking', data: 'xx' }) +
        close(1) +
        block(2, { type: 'text', text: '' }) +
        delta(2, { type: 'text_delta', text: 'Hi' }) +
        close(2) +
        block(3, { type: 'tool_use', id: 't', name: 'look', input: {} }) +
        delta(3, { type: 'input_json_delta', partial_json: '' }) +
        delta(3, { type: 'input_json_delta', partial_json: '{"at":1}' }) +
        close(3) +
        ending('tool_use'),
    );
    const input = { ...emptyUsage(), input: 9, cacheRead: 4 };
    expect(events).toEqual([
      { type: 'start', id: 'msg_1', model: 'claude', inputUsage: input },
      { type: 'thinking', choice: 0, text: 'Hm' },
      { type: 'thinking', choice: 0, signature: 'seal', sealedBy: 'anthropic-messages' },
      { type: 'thinking', choice: 0, redacted: 'xx', sealedBy: 'anthropic-messages' },
      { type: 'text', choice: 0, text: 'Hi' },
      { type: 'tool_start', choice: 0, tool: 0, kind: 'function', id: 't', name: 'look' },
      { type: 'tool_delta', choice: 0, tool: 0, arguments: '{"at":1}' },
      { type: 'stop', choice: 0, reason: 'tool_calls', rawReason: 'tool_use' },
      {
        type: 'usage',
        usage: { tokens: { ...input, output: 5 }, inputTokens: 9, outputTokens: 5 },
      },
      { type: 'end' },
    ]);
  });

  test('a call without arguments has an empty object of them', () => {
    const events = decode(
      begin() +
        block(0, { type: 'tool_use', id: 't', name: 'now', input: {} }) +
        close(0) +
        block(1, { type: 'tool_use', id: 'u', name: 'at', input: { x: 1 } }) +
        ending('tool_use'),
    );
    expect(events.filter(({ type }) => type === 'tool_delta')).toEqual([
      toolDelta(0, '{}'),
      toolDelta(1, '{"x":1}'),
    ]);
  });

  test('the input count of message_delta replaces the one of message_start', () => {
    const last = writeEvent('message_delta', {
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 20, cache_read_input_tokens: 3, output_tokens: 7 },
    });
    const events = decode(begin() + last + writeEvent('message_stop'));
    expect(events.at(-2)).toMatchObject({
      usage: { tokens: { input: 20, cacheRead: 3, output: 7 } },
    });
  });

  test('an interrupted stream reports its input and not its output', () => {
    const meter = createStreamMeter();
    decode(begin() + block(0, { type: 'text', text: '' })).forEach((event) => meter.see(event));
    expect(meter.report).toMatchObject({ inputUsage: { input: 9, output: 0 }, fault: 'EARLY_END' });
    expect(meter.report.usage).toBeUndefined();
  });

  test('a citation follows the text that it supports', () => {
    const web = { type: 'web_search_result_location', url: 'https://x.test', title: 'X' };
    const events = decode(
      begin() +
        block(0, { type: 'text', text: '' }) +
        delta(0, { type: 'text_delta', text: 'One ' }) +
        close(0) +
        block(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }) +
        delta(1, { type: 'input_json_delta', partial_json: '{}' }) +
        close(1) +
        block(2, { type: 'text', text: '', citations: [] }) +
        delta(2, { type: 'citations_delta', citation: web }) +
        delta(2, { type: 'text_delta', text: 'two' }) +
        close(2) +
        ending('end_turn'),
    );
    expect(events.find(({ type }) => type === 'citation')).toEqual({
      type: 'citation',
      choice: 0,
      citation: { url: 'https://x.test', title: 'X', startIndex: 4, endIndex: 7 },
    });
    expect(events.some(({ type }) => type.startsWith('tool'))).toBe(false);
  });

  test('the explanation of a refusal becomes the refusal', () => {
    const stop_details = { type: 'refusal', category: null, explanation: 'No.' };
    const events = decode(begin() + ending('refusal', { stop_details }));
    expect(events.slice(1, 3)).toMatchObject([
      { type: 'refusal', text: 'No.' },
      { type: 'stop', reason: 'refusal' },
    ]);
  });

  test('the last event counts without its blank line', () => {
    const whole = begin() + ending('end_turn');
    expect(decode(whole.slice(0, -2)).at(-1)).toEqual(end);
    expect(decode(whole.slice(0, -1)).at(-1)).toEqual(end);
    expect(decode(whole.slice(0, -3)).at(-1)).toMatchObject({ fault: 'EARLY_END' });
  });

  test.each([
    ['twice begun', begin() + begin(), 'INVALID_RESPONSE'],
    ['never begun', writeEvent('message_stop'), 'INVALID_RESPONSE'],
    ['garbled', `${begin()}event: ping\ndata: {\n\n`, 'INVALID_RESPONSE'],
    ['cut', begin() + block(0, { type: 'text', text: 'x' }), 'EARLY_END'],
    ['ended in another format', `${begin()}data: [DONE]\n\n`, 'EARLY_END'],
    [
      'arguments without a call',
      begin() + delta(0, { type: 'input_json_delta', partial_json: '{' }),
      'INVALID_RESPONSE',
    ],
    [
      'an error',
      begin() + writeEvent('error', { error: { type: 'overloaded_error', message: 'Busy' } }),
      'UPSTREAM_ERROR',
    ],
    [
      'an error of another format',
      `${begin()}data: {"error":{"message":"no"}}\n\n`,
      'UPSTREAM_ERROR',
    ],
  ])('%s is a fault', (_, bytes, fault) => {
    expect(decode(bytes).at(-1)).toMatchObject({ type: 'error', fault });
  });
});

describe('encoded', () => {
  test('blocks open and close around deltas of their kind', () => {
    const wire = encode([
      start,
      { type: 'thinking', choice: 0, text: 'Hm' },
      { type: 'thinking', choice: 0, signature: 'seal' },
      { type: 'thinking', choice: 0, redacted: 'xx' },
      text('Hi'),
      text(' there'),
      toolStart(0),
      toolDelta(0, '{"at":1}'),
      toolStart(1),
      toolDelta(1, '{}'),
      stop('tool_calls'),
      end,
    ]);
    const kindOf = (fields?: JsonObject): string => (fields ? ` ${String(fields['type'])}` : '');
    const brief = wire.map(
      ({ type, index, delta: said, content_block: opened }) =>
        `${type}${index === undefined ? '' : ` ${index}${kindOf(said ?? opened)}`}`,
    );
    expect(brief).toEqual([
      'message_start',
      'content_block_start 0 thinking',
      'content_block_delta 0 thinking_delta',
      'content_block_delta 0 signature_delta',
      'content_block_stop 0',
      'content_block_start 1 redacted_thinking',
      'content_block_stop 1',
      'content_block_start 2 text',
      'content_block_delta 2 text_delta',
      'content_block_delta 2 text_delta',
      'content_block_stop 2',
      'content_block_start 3 tool_use',
      'content_block_delta 3 input_json_delta',
      'content_block_stop 3',
      'content_block_start 4 tool_use',
      'content_block_delta 4 input_json_delta',
      'content_block_stop 4',
      'message_delta',
      'message_stop',
    ]);
    expect(wire.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use', stop_sequence: null } });
  });

  test('interleaved calls are written whole, one after the other', () => {
    const wire = encode([
      start,
      toolStart(0),
      toolDelta(0, '{"at"'),
      toolStart(1),
      toolDelta(1, '{"b"'),
      text('aside'),
      toolDelta(0, ':1}'),
      toolDelta(1, ':2}'),
      stop('tool_calls'),
      end,
    ]);
    const blocks = wire.filter(({ type }) => type === 'content_block_start');
    const inputs = blocks.map(({ index }) =>
      wire
        .filter((event) => event.type === 'content_block_delta' && event.index === index)
        .map(({ delta: said }) => said?.['partial_json'] ?? said?.['text'])
        .join(''),
    );
    expect(blocks.map(({ content_block: opened }) => opened?.['id'] ?? 'text')).toEqual([
      't0',
      't1',
      'text',
    ]);
    expect(inputs).toEqual(['{"at":1}', '{"b":2}', 'aside']);
  });

  test.each([
    ['no whole', [toolStart(0), toolDelta(0, '{"at":'), stop('stop')]],
    ['no object', [toolStart(0), toolDelta(0, '[1]'), stop('tool_calls')]],
    ['cut off before another', [toolStart(0), toolDelta(0, '{'), toolStart(1), stop('tool_calls')]],
  ])('a call whose arguments are %s is an error, not a call', (_, events) => {
    const encoder = createStreamEncoder(context);
    const wire = read([start, ...events, end].map((event) => encoder.encode(event)).join(''));
    expect(wire.at(-1)).toMatchObject({ type: 'error', error: { code: 'upstream_error' } });
    expect(wire.map(({ type }) => type)).not.toContain('content_block_stop');
    expect(encoder.failure).toMatchObject({ code: 'upstream_error' });
  });

  test.each([
    ['amid its arguments', [toolStart(0), toolDelta(0, '{"at":')]],
    ['before its arguments', [toolStart(0)]],
    ['after another', [toolStart(0), toolDelta(0, '{}'), toolStart(1), toolDelta(1, '{"a')]],
    ['beside another', [toolStart(0), toolStart(1), toolDelta(0, '{"a'), toolDelta(1, '{"b')]],
  ])('an answer cut off within a call, %s, ends as the vendor’s own does', (_, events) => {
    const encoder = createStreamEncoder(context);
    const all = [start, ...events, stop('length'), end];
    const wire = read(all.map((event) => encoder.encode(event)).join(''));
    expect(wire.slice(-3)).toMatchObject([
      { type: 'content_block_stop' },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      { type: 'message_stop' },
    ]);
    const said = wire.flatMap(({ delta: piece }) => textOf(piece?.['partial_json']) ?? []).join('');
    const parts = events.map((event) => (event.type === 'tool_delta' ? event.arguments : ''));
    expect(said).toBe(parts.join(''));
    expect(encoder.failure).toBeUndefined();
  });

  test('message_delta always has usage, as totals', () => {
    const usage = { ...emptyUsage(), input: 3, cacheRead: 2, cacheWrite1h: 1, output: 4 };
    const reported = { tokens: usage, inputTokens: 6, outputTokens: 4 };
    const wire = encode([start, text('a'), stop('stop'), { type: 'usage', usage: reported }, end]);
    expect(wire.at(-2)).toMatchObject({
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: 2,
        cache_creation_input_tokens: 1,
        output_tokens: 4,
      },
    });
    const estimatedUsage = { ...emptyUsage(), output: 8 };
    const estimated = encode([start, stop('stop'), end], { ...context, estimatedUsage });
    expect(estimated.at(-2)).toMatchObject({ usage: { output_tokens: 8 } });
    expect(encode([start, end]).at(-2)).toMatchObject({ usage: { output_tokens: 0 } });
  });

  test('a stop sequence and a refusal are encoded', () => {
    const sequence: StreamEvent = {
      type: 'stop',
      choice: 0,
      reason: 'stop',
      rawReason: 'stop',
      stopSequence: 'END',
    };
    expect(encode([start, sequence, end]).at(-2)).toMatchObject({
      delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' },
    });
    const refusal: StreamEvent = { type: 'refusal', choice: 0, text: 'No.' };
    expect(encode([start, refusal, stop('stop'), end]).at(-2)).toMatchObject({
      delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } },
    });
  });

  test('a citation belongs to the open text block', () => {
    const citation = { url: 'https://x.test', startIndex: 0, endIndex: 1 };
    const wire = encode([start, text('a'), { type: 'citation', choice: 0, citation }, end]);
    expect(wire[3]).toMatchObject({
      index: 0,
      delta: { type: 'citations_delta', citation: { url: 'https://x.test', title: null } },
    });
  });

  test('further choices, log probabilities and audio without a transcript are left out', () => {
    const wire = encode([
      start,
      { type: 'text', choice: 0, text: '', logprobs: {} },
      { type: 'text', choice: 1, text: 'other' },
      { type: 'audio', choice: 0, data: 'AA' },
      { type: 'image', choice: 0, url: 'data:image/png;base64,AA' },
      stop('stop'),
      end,
    ]);
    expect(wire.map(({ type }) => type)).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ]);
  });

  test('nothing follows the end', () => {
    const encoder = createStreamEncoder(context);
    encoder.encode(end);
    expect(encoder.encode(text('x'))).toBe('');
  });
});
