import fc from 'fast-check';

import { createRestorer, restoreResponse } from './answer-changes';
import type { StreamEvent } from './normalised';
import { createUnwrapper } from './wrapped-answer';

/** The output for the text in pieces of the given lengths. */
function unwrap(text: string, cuts: readonly number[] = []): string {
  const unwrapper = createUnwrapper();
  let out = '';
  let at = 0;
  for (const length of cuts) {
    out += unwrapper.push(text.slice(at, at + length));
    at += length;
  }
  return out + unwrapper.push(text.slice(at)) + unwrapper.finish();
}

const space = fc.constantFrom('', ' ', '\n  ', '\t');
const cuts = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 });

test('any value keeps its spelling, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.array(space, { minLength: 5, maxLength: 5 }),
      cuts,
      (json, gaps, at) => {
        const [a, b, c, d, e] = gaps;
        const text = `${a}{${b}"value"${c}:${d}${json}${e}}${a}`;
        expect(unwrap(text, at)).toBe(json);
      },
    ),
    { numRuns: 500 },
  );
});

test('text without a wrapper stays unchanged, however it is cut', () => {
  const other = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('{"values": 1}', '{"value"', '{ "value" x', 'I cannot.', '[{"value": 1}]'),
  );
  fc.assert(
    fc.property(other, cuts, (text, at) => {
      fc.pre(!/^\s*\{\s*"value"\s*:/.test(text) && text.trim() !== '');
      expect(unwrap(text, at)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('the value of a truncated answer is kept so far', () => {
  expect(unwrap('{"value": [1, {"a": "}')).toBe('[1, {"a": "}');
  expect(unwrap('{"value": "half')).toBe('"half');
  expect(unwrap('{"value": 12')).toBe('12');
});

test('leading white space is not buffered without bound', () => {
  const unwrapper = createUnwrapper();
  let out = '';
  for (let piece = 0; piece < 100; piece += 1) out += unwrapper.push(' '.repeat(100));
  expect(out.length).toBeGreaterThan(9_000);
});

const CHANGES = { wrapped: true } as const;

function textEvents(pieces: readonly string[]): StreamEvent[] {
  return pieces.map((text) => ({ type: 'text', choice: 0, text }));
}

const STOP: StreamEvent = { type: 'stop', choice: 0, reason: 'stop', rawReason: 'stop' };

test('a stream yields the value as it arrives, and the withheld text before the stop', () => {
  const restorer = createRestorer(CHANGES);
  const came = textEvents(['{"val', 'ue": [1', ', 2', ']}']).map((event) =>
    restorer.restore(event),
  );
  expect(came).toEqual([[], textEvents(['[1']), textEvents([', 2']), textEvents([']'])]);
  expect(restorer.restore(STOP)).toEqual([STOP]);
  const cut = createRestorer(CHANGES);
  expect(cut.restore({ type: 'text', choice: 0, text: '{"va' })).toEqual([]);
  expect(cut.restore(STOP)).toEqual([...textEvents(['{"va']), STOP]);
});

test('choices are unwrapped separately', () => {
  const restorer = createRestorer(CHANGES);
  restorer.restore({ type: 'text', choice: 0, text: '{"value": [' });
  expect(restorer.restore({ type: 'text', choice: 1, text: '{"value": 7}' })).toEqual([
    { type: 'text', choice: 1, text: '7' },
  ]);
  expect(restorer.restore({ type: 'text', choice: 0, text: '1]}' })).toEqual([
    { type: 'text', choice: 0, text: '1]' },
  ]);
});

test('a unary answer is unwrapped across its blocks, and its citations shift', () => {
  const content = [
    { type: 'thinking' as const, text: '{"value": 1}' },
    { type: 'text' as const, text: '{"value": ["a"' },
    {
      type: 'text' as const,
      text: ', "b"]}',
      citations: [{ url: 'https://x.test', startIndex: 11, endIndex: 14 }],
    },
  ];
  const choice = { index: 0, content, stopReason: 'stop' as const, rawStopReason: 'stop' };
  const answer = restoreResponse({ id: '', model: '', choices: [choice] }, CHANGES);
  expect(answer.choices[0]?.content).toEqual([
    content[0],
    { type: 'text', text: '["a"' },
    {
      type: 'text',
      text: ', "b"]',
      citations: [{ url: 'https://x.test', startIndex: 1, endIndex: 4 }],
    },
  ]);
});
