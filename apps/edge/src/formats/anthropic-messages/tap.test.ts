import { emptyUsage } from '@tollgate/contracts';

import type { JsonObject } from '../normalised';
import { writeEvent } from './events';
import { createUsageTap } from './tap';

const begin = writeEvent('message_start', {
  message: { id: 'msg_1', model: 'claude', usage: { input_tokens: 9, output_tokens: 1 } },
});
const open = writeEvent('content_block_start', {
  index: 0,
  content_block: { type: 'text', text: '' },
});
const delta = (fields: JsonObject): string =>
  writeEvent('content_block_delta', { index: 0, delta: fields });
const said = (text: string): string => delta({ type: 'text_delta', text });
const close = writeEvent('content_block_stop', { index: 0 });
const ending = writeEvent('message_delta', {
  delta: { stop_reason: 'end_turn', stop_sequence: null },
  usage: { output_tokens: 5, cache_read_input_tokens: 2 },
});
const stop = writeEvent('message_stop');

function pass(text: string) {
  const tap = createUsageTap();
  const parts = [...tap.push(Buffer.from(text)), ...tap.finish()].map(String);
  return { parts, passed: parts.join(''), report: tap.report };
}

test('a stream is passed on unchanged, its last event separately', () => {
  const ping = writeEvent('ping');
  const whole = `: hello\n\n${begin}${ping}${open}${said('Hi')}${close}${ending}${stop}`;
  const { parts, passed, report } = pass(whole);
  expect(passed).toBe(whole);
  expect(parts.at(-1)).toBe(stop);
  expect(report).toEqual({
    outputSeen: true,
    outputTokensEstimate: 1,
    outputPieces: 1,
    terminal: true,
    responseId: 'msg_1',
    model: 'claude',
    inputUsage: { ...emptyUsage(), input: 9 },
    usage: { ...emptyUsage(), input: 9, cacheRead: 2, output: 5 },
    stopReason: 'stop',
    rawStopReason: 'end_turn',
  });
});

test.each([
  ['text', said('twelve bytes')],
  ['thinking', delta({ type: 'thinking_delta', thinking: 'twelve bytes' })],
  ['arguments', delta({ type: 'input_json_delta', partial_json: 'twelve bytes' })],
  ['spaced text', said('twelve bytes').replace('"delta":', '"delta": ')],
])('the size of %s counts as output', (_, event) => {
  expect(pass(begin + event).report.outputTokensEstimate).toBe(4);
});

test('citations and empty text are not output', () => {
  const citation = { type: 'web_search_result_location', url: 'u', cited_text: 'long '.repeat(50) };
  const { report } = pass(begin + said('') + delta({ type: 'citations_delta', citation }));
  expect(report.outputSeen).toBe(false);
});

test('an interrupted stream reports its input, not the output count of its start', () => {
  const { report } = pass(begin + open + said('Hello there'));
  expect(report).toMatchObject({ fault: 'EARLY_END', inputUsage: { input: 9, output: 0 } });
  expect(report.usage).toBeUndefined();
});

test('the upstream’s own error is withheld', () => {
  const error = writeEvent('error', { error: { type: 'overloaded_error', message: 'Busy' } });
  const { passed, report } = pass(begin + open + error + said('late'));
  expect(passed).toBe(begin + open);
  expect(report).toMatchObject({
    terminal: false,
    fault: 'UPSTREAM_ERROR',
    error: { code: 'upstream_error', message: 'Busy' },
  });
});

test('only a block that has not stopped is closed', () => {
  const tap = createUsageTap();
  const closed = (text: string): string | undefined => {
    tap.push(Buffer.from(text));
    return tap.closeOpen?.();
  };
  expect(closed(begin)).toBe('');
  expect(closed(open + said('Hi') + close)).toBe('');
  expect(closed(open.replace('"index":0', '"index":1') + said('Hi'))).toBe(
    writeEvent('content_block_stop', { index: 1 }),
  );
});

test('events without the name that clients need get one', () => {
  const bare = (event: string): string => event.replace(/^event: .*\n/, '');
  const whole = [begin, open, said('Hi'), close, ending, stop];
  const { passed, report } = pass(whole.map(bare).join(''));
  expect(passed).toBe(whole.join(''));
  expect(report.terminal).toBe(true);
});

test('a message_delta without usage, which breaks clients, gets one', () => {
  const wire = { delta: { stop_reason: 'end_turn' } };
  const { passed, report } = pass(
    begin + said('Hello!') + writeEvent('message_delta', wire) + stop,
  );
  expect(passed).toContain('"usage":{"output_tokens":2}');
  expect(report.usage).toBeUndefined();
});

test('a last event without its blank line is completed; another format’s terminal event is not passed on', () => {
  const whole = begin + ending + stop;
  expect(pass(whole.slice(0, -1)).passed).toBe(whole);
  expect(pass(begin + 'data: [DONE]\n\n' + ending + stop).passed).toBe(whole);
});

test.each([
  ['twice begun', begin + begin],
  ['garbled', `${begin}event: x\ndata: {\n\n`],
  ['never begun', stop],
])('%s is a fault', (_, text) => {
  expect(pass(text).report).toMatchObject({ terminal: false, fault: 'INVALID_RESPONSE' });
});
