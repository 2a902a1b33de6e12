import type { JsonObject } from '../normalised';
import { MAX_EVENT_BYTES } from '../sse';
import { createUsageTap } from './tap';

const DONE = 'data: [DONE]\n\n';
const event = (chunk: JsonObject): string => `data: ${JSON.stringify(chunk)}\n\n`;
const chunk = (delta: JsonObject, more: JsonObject = {}, finish: string | null = null): string =>
  event({
    id: 'c1',
    model: 'm',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...more,
  });
const ROLE = chunk({ role: 'assistant', content: '' });
const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const usageChunk = event({ id: 'c1', model: 'm', choices: [], usage: USAGE });

function run(text: string, stripUsage = false) {
  const tap = createUsageTap({ stripUsage });
  const parts = [...tap.push(Buffer.from(text)), ...tap.finish()];
  return { text: Buffer.concat(parts).toString(), parts, report: tap.report };
}

const whole = ROLE + chunk({ content: 'Hello' }) + chunk({}, {}, 'stop') + usageChunk + DONE;

test('a complete stream is passed on in as many writes as it came, its terminal event separately', () => {
  const { text, parts, report } = run(whole);
  expect(text).toBe(whole);
  expect(parts.map(String)).toEqual([whole.slice(0, -DONE.length), DONE]);
  expect(report).toMatchObject({
    terminal: true,
    stopReason: 'stop',
    rawStopReason: 'stop',
    responseId: 'c1',
    model: 'm',
    usage: { input: 9, output: 2 },
  });
});

test('usage is hidden from a client that did not ask for it', () => {
  const { text, report } = run(whole, true);
  expect(text).toBe(whole.replace(usageChunk, ''));
  expect(report.usage).toMatchObject({ input: 9, output: 2 });
});

test('usage in a chunk with output is cut out of it', () => {
  const riding = chunk({ content: 'x' }, { usage: USAGE, kept: 1 });
  const { text, report } = run(ROLE + riding + DONE, true);
  expect(text).toBe(ROLE + chunk({ content: 'x' }, { kept: 1 }) + DONE);
  expect(report.usage).toMatchObject({ input: 9 });
});

test('a chunk that differs from the last one in one field is parsed', () => {
  const plain = chunk({ content: 'abc' }, { usage: null }).repeat(3);
  const last = chunk({ content: 'abc' }, { usage: USAGE });
  const stop = chunk({ content: 'abc' }, { usage: null }, 'length');
  const role = chunk({ role: 'assistant' }, { usage: null });
  const { report, text } = run(ROLE + plain + last + plain + role + stop + DONE, true);
  expect(report).toMatchObject({ rawStopReason: 'length', usage: { input: 9 }, terminal: true });
  expect(report.outputTokensEstimate).toBe(8);
  expect(text).toBe(ROLE + plain + chunk({ content: 'abc' }) + plain + role + stop + DONE);
});

test('only the text of a chunk with log probabilities counts', () => {
  const logprobs = { content: [{ token: 'abc', logprob: -1, bytes: [1], top_logprobs: [] }] };
  const probable = event({
    choices: [{ index: 0, delta: { content: 'abc' }, logprobs, finish_reason: null }],
  });
  expect(run(ROLE + probable.repeat(3) + DONE).report.outputTokensEstimate).toBe(3);
});

test('a role chunk is not output', () => {
  const tap = createUsageTap({ stripUsage: false });
  tap.push(Buffer.from(ROLE));
  expect(tap.report.outputSeen).toBe(false);
  tap.push(Buffer.from(chunk({ content: 'x' })));
  expect(tap.report.outputSeen).toBe(true);
});

test('the output estimate grows with the stream, by at least one token per chunk', () => {
  const tap = createUsageTap({ stripUsage: false });
  tap.push(Buffer.from(ROLE + chunk({ content: 'a' }).repeat(100)));
  expect(tap.report.outputTokensEstimate).toBe(100);
  tap.push(Buffer.from(chunk({ content: 'x'.repeat(3_000) })));
  expect(tap.report.outputTokensEstimate).toBeGreaterThan(1_000);
  expect(tap.report.outputTokensEstimate).toBeLessThan(1_200);
});

test('refusals, reasoning and tool calls count as output', () => {
  for (const delta of [
    { refusal: 'no no no' },
    { reasoning_content: 'hm hm hm' },
    { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] },
  ]) {
    expect(run(ROLE + chunk(delta)).report.outputSeen).toBe(true);
  }
});

test('generated text that looks like protocol is not parsed as protocol', () => {
  const says = '"usage":{"prompt_tokens":1},"finish_reason":"stop" data: [DONE]\n\n {"error":{}}';
  const text = ROLE + chunk({ content: says });
  const { report, text: passed } = run(text + usageChunk + DONE);
  expect(passed).toBe(text + usageChunk + DONE);
  expect(report).toMatchObject({ terminal: true, usage: { input: 9 } });
  expect(report.rawStopReason).toBeUndefined();
});

test('spaces after the colons make no difference', () => {
  const spaced = (text: string): string => text.replace(/":/g, '": ').replace(/data: /g, 'data: ');
  const { report } = run(spaced(whole));
  expect(report).toMatchObject({ terminal: true, rawStopReason: 'stop', usage: { input: 9 } });
});

test.each([
  ['nothing', '', 'EARLY_END'],
  ['no terminal event', ROLE + chunk({ content: 'x' }, {}, 'stop'), 'EARLY_END'],
  ['half an event', `${ROLE}data: {"choices":[`, 'EARLY_END'],
  ['a terminal event and nothing else', DONE, 'INVALID_RESPONSE'],
  ['an event that is not JSON', `${ROLE}data: {"cho\n\n${DONE}`, 'INVALID_RESPONSE'],
  ['a web page', '<html>\n\n</html>\n\n', 'EARLY_END'],
  ['an error event', ROLE + event({ error: { message: 'overloaded' } }) + DONE, 'UPSTREAM_ERROR'],
  ['an error as text', ROLE + event({ error: 'overloaded' }), 'UPSTREAM_ERROR'],
  ['an error by name', `${ROLE}event: error\ndata: {"message":"overloaded"}\n\n`, 'UPSTREAM_ERROR'],
])('%s is a fault, and only the events before it are passed on', (_, text, fault) => {
  const { report, text: passed } = run(text);
  expect(report).toMatchObject({ terminal: false, fault, error: { code: 'upstream_error' } });
  expect([ROLE, '', text.slice(0, text.lastIndexOf('\n\n') + 2)]).toContain(passed);
  if (fault === 'UPSTREAM_ERROR') expect(report.error?.message).toBe('overloaded');
});

test('a terminal event without its blank line is accepted, and completed', () => {
  const { report, text } = run(whole.trimEnd());
  expect(report.terminal).toBe(true);
  expect(text).toBe(whole);
});

test('data after the terminal event is dropped', () => {
  expect(run(`${whole}data: {"more":1}\n\n`).text).toBe(whole);
});

test('comments are passed on', () => {
  const text = `: keep-alive\n\n${whole}`;
  expect(run(text).text).toBe(text);
});

test('an event without an end is a fault before it exhausts memory', () => {
  const tap = createUsageTap({ stripUsage: false });
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let bytes = 0; bytes <= MAX_EVENT_BYTES; bytes += piece.length) tap.push(piece);
  expect(tap.report.fault).toBe('INVALID_RESPONSE');
});
