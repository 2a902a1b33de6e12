import fc from 'fast-check';

import { chatErrorIn, createEventReader, EMPTY_ANSWER, read, type Answer } from './stream';

const delta = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const WHOLE = [
  delta('Hel'),
  delta('lö 🎈'),
  `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`,
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\n`,
  `data: ${JSON.stringify({ choices: [], comment: 'x-tollgate-cost-usd: 0.00000285' })}\n\n`,
  'data: [DONE]\n\n',
].join('');

function readAll(pieces: readonly string[]): Answer {
  const events = createEventReader();
  return pieces.flatMap((piece) => events(piece)).reduce(read, EMPTY_ANSWER);
}

test('a stream is text, usage, cost and its end', () => {
  expect(readAll([WHOLE])).toEqual({
    text: 'Hellö 🎈',
    toolCalls: [],
    tokensIn: 7,
    tokensOut: 3,
    costUsd: '0.00000285',
    stopReason: 'stop',
    error: undefined,
    complete: true,
  });
});

test('calls of tools are put together by their place', () => {
  const piece = (index: number, over: object): string =>
    `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index, ...over }] } }] })}\n\n`;
  const pieces = [
    piece(0, { id: 'c1', function: { name: 'weather', arguments: '{"ci' } }),
    piece(0, { function: { arguments: 'ty":"Bern"}' } }),
    piece(1, { id: 'c2', function: { name: 'time', arguments: '{}' } }),
  ];
  expect(readAll(pieces).toolCalls).toEqual([
    { id: 'c1', name: 'weather', arguments: '{"city":"Bern"}' },
    { id: 'c2', name: 'time', arguments: '{}' },
  ]);
});

test('it makes no difference where the pieces are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(WHOLE.length), { maxLength: 20 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), WHOLE.length];
      const pieces = at.slice(1).map((end, index) => WHOLE.slice(at[index], end));
      expect(readAll(pieces)).toEqual(readAll([WHOLE]));
    }),
  );
});

test('an error in the middle keeps what was said before it', () => {
  const error = `data: ${JSON.stringify({ error: { code: 'upstream_error', message: 'Broken off.' } })}\n\n`;
  expect(readAll([delta('Hel'), error])).toMatchObject({
    text: 'Hel',
    error: { code: 'upstream_error', message: 'Broken off.' },
    complete: false,
  });
});

test('other comments mean nothing; garbage is an error', () => {
  expect(readAll([': ping\n\n'])).toEqual(EMPTY_ANSWER);
  expect(readAll(['data: {"choices": 1}\n\n']).error).toMatchObject({ code: 'unexpected_answer' });
  expect(readAll(['data: {oh\n\n']).error).toMatchObject({ code: 'unexpected_answer' });
});

test('an error body gives its code, or at least its type', () => {
  expect(chatErrorIn({ error: { message: 'm', type: 't', code: 'c' } })?.code).toBe('c');
  expect(chatErrorIn({ error: { message: 'm', type: 't', code: null } })?.code).toBe('t');
  expect(chatErrorIn({ error: 'no' })).toBeUndefined();
});
