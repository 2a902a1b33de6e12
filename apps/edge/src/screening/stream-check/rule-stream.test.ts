import type { CheckedPiece, CheckStreamReply } from '@tollgate/contracts/node';
import { createProgram, type ExternalRule, type Hit } from '@tollgate/screening';

import type { CheckStreamReader } from '../../exchange/screening';
import { ruleOf } from '../test-support/rules';
import { createRuleStream } from './rule-stream';

const [EXTERNAL] = createProgram([
  {
    policy: 'house',
    version: 1,
    rule: ruleOf({ kind: 'EXTERNAL', service: 's', timeoutMs: 1_000, where: ['OUTPUT'] }),
  },
]).externalOf(['OUTPUT']) as [ExternalRule];

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function start() {
  const sent: CheckedPiece[] = [];
  const seen = { refused: [] as unknown[], notes: [] as unknown[], ended: '' };
  let reader: CheckStreamReader | undefined;
  const stream = createRuleStream({
    checks: {
      openStream: (_, on) => {
        reader = on;
        return {
          send: (piece) => sent.push(piece),
          close: () => (seen.ended = 'closed'),
          cancel: () => (seen.ended = 'cancelled'),
        };
      },
      noteStream: (_, [place], ms, reason) => seen.notes.push([place, ms, reason]),
    },
    external: EXTERNAL,
    nowMs: () => Date.now(),
    onRefused: (...given) => seen.refused.push(given),
    onChange: () => undefined,
  });
  const text = stream.open('OUTPUT');
  return {
    sent,
    seen,
    stream,
    text,
    say: (more: string) => {
      text.append(more);
      stream.send();
    },
    finish: () => {
      text.complete();
      stream.send();
    },
    reply: (given: CheckStreamReply) =>
      reader?.reply({
        verdict: 'PASS',
        released: 0,
        findings: [],
        message: '',
        number: 0,
        ...given,
      } as never),
    fail: (message: string) => reader?.failed(new Error(message)),
    /** How much of a text that began at 0 may go on. */
    open: (length: number, found: Hit[] = []) => text.scan(0, length, found),
  };
}

test('what is appended in one turn is one piece, and goes on when it is released', () => {
  const { open, reply, say, sent, text, stream } = start();
  text.append('Hello ');
  text.append('Bob');
  stream.send();
  expect(sent).toEqual([
    { number: 1, textId: '0', place: 'OUTPUT', text: 'Hello Bob', last: false },
  ]);
  expect(open(9)).toBe(0);
  reply({ number: 1, released: 6 });
  expect(open(9)).toBe(6);
  say(' and Eve');
  expect(sent[1]).toMatchObject({ number: 2, text: ' and Eve' });
  reply({ number: 2, released: 17 });
  expect(open(17)).toBe(17);
});

test('offsets count code points, and a pair is never sent in halves', () => {
  const { finish, open, reply, say, sent } = start();
  say('🙂 B\ud83d');
  expect(sent[0]?.text).toBe('🙂 B');
  say('\ude42b');
  expect(sent[1]?.text).toBe('🙂b');
  reply({ number: 1, released: 2 });
  expect(open(7)).toBe(3);
  reply({ number: 2, released: 2, findings: [{ start: 2, end: 5, label: 'a name' }] });
  const found: Hit[] = [];
  expect(open(7, found)).toBe(3);
  expect(found).toEqual([{ start: 3, end: 7, label: 'A_NAME', rule: 0 }]);
  finish();
  expect(sent[2]).toMatchObject({ text: '', last: true });
  reply({ number: 3, released: 5 });
  expect(open(7)).toBe(7);
});

test('at most 64 pieces are unanswered, and what waits goes as one', () => {
  const { reply, say, sent } = start();
  for (let at = 0; at < 70; at += 1) say('a');
  expect(sent).toHaveLength(64);
  reply({ number: 1, released: 1 });
  expect(sent).toHaveLength(65);
  expect(sent[64]?.text).toBe('a'.repeat(6));
});

test('at most 20,000 characters are not released, in pieces of 16,384', () => {
  const { reply, say, sent, seen } = start();
  say('a'.repeat(60_000));
  expect(sent.map(({ text }) => text?.length)).toEqual([16_384, 16_384]);
  reply({ number: 1, released: 16_384 });
  expect(sent).toHaveLength(3);
  reply({ number: 2, released: 16_384 });
  expect(seen.notes).toEqual([]);
  reply({ number: 3, released: 16_384 });
  expect(seen.notes).toEqual([['OUTPUT', 0, 'the service withholds 32768 characters']]);
  expect(seen.ended).toBe('cancelled');
});

test.each<[name: string, reply: CheckStreamReply]>([
  ['of another piece', { number: 2, released: 1 }],
  ['without a verdict', { number: 1, verdict: 'MAYBE', released: 1 }],
  ['that releases what was not sent', { number: 1, released: 6 }],
  ['that names a part outside of the text', { number: 1, findings: [{ start: 4, end: 9 }] }],
  ['that names an empty part', { number: 1, findings: [{ start: 1, end: 1 }] }],
])('a reply %s is no verdict, and what was withheld is free', (_, given) => {
  const { open, reply, say, seen } = start();
  say('hello');
  reply(given);
  expect(seen.notes).toEqual([['OUTPUT', 0, expect.any(String)]]);
  expect(seen.ended).toBe('cancelled');
  expect(open(5)).toBe(5);
});

test('a reply that takes back what was released is no verdict', () => {
  const { reply, say, seen } = start();
  say('hello');
  reply({ number: 1, released: 4 });
  say('!');
  reply({ number: 2, released: 3 });
  expect(seen.notes).toHaveLength(1);
});

test('a finding in what was released is no verdict', () => {
  const { reply, say, seen } = start();
  say('hello');
  reply({ number: 1, released: 4 });
  say('!');
  reply({ number: 2, released: 4, findings: [{ start: 2, end: 5, label: 'X' }] });
  expect(seen.notes).toHaveLength(1);
});

test('the reply to the last piece must release all', () => {
  const { finish, reply, say, seen, text } = start();
  say('hello');
  reply({ number: 1, released: 2 });
  finish();
  expect(text.isDone()).toBe(false);
  reply({ number: 2, released: 4 });
  expect(seen.notes).toEqual([['OUTPUT', 0, expect.stringContaining('last piece')]]);
});

test('each piece is answered in the time of the rule', () => {
  const { reply, say, seen } = start();
  say('a');
  jest.advanceTimersByTime(600);
  say('b');
  jest.advanceTimersByTime(300);
  reply({ number: 1, released: 1 });
  // The second has its own time.
  jest.advanceTimersByTime(600);
  expect(seen.notes).toEqual([]);
  jest.advanceTimersByTime(200);
  expect(seen.notes).toEqual([['OUTPUT', 900, 'a piece was not answered in time']]);
});

test('a refusal releases before it refuses', () => {
  const { open, reply, say, seen } = start();
  say('good bad');
  reply({ number: 1, verdict: 'BLOCK', released: 5, message: 'No.' });
  expect(open(8)).toBe(5);
  expect(seen.refused).toEqual([['OUTPUT', 'No.']]);
  expect(seen.ended).toBe('cancelled');
  jest.advanceTimersByTime(10_000);
  expect(seen.notes).toEqual([['OUTPUT', 0, undefined]]);
});

test('an answer without text asks nobody', () => {
  const { finish, sent, stream, seen, text } = start();
  finish();
  expect(text.isDone()).toBe(true);
  stream.close();
  expect([sent, seen.ended, seen.notes]).toEqual([[], '', []]);
});

test('more than 2,000 texts are no verdict', () => {
  const { say, seen, stream } = start();
  say('a');
  for (let at = 1; at < 2_000; at += 1) stream.open('OUTPUT');
  expect(seen.notes).toEqual([]);
  stream.open('OUTPUT');
  expect(seen.notes).toHaveLength(1);
});
