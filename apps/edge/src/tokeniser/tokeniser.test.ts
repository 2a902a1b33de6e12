import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

import { createTokenCounter, type CountingThread } from '.';

const noLog = { error: () => undefined };

type Listener = (value: unknown) => void;

/** A thread that only reacts when the test makes it. */
function fakeThread() {
  const listeners = new Map<string, Listener>();
  const asked: { id: number; pieces: readonly string[] }[] = [];
  const thread: CountingThread = {
    on: (event, listener) => listeners.set(event, listener),
    postMessage: (question) => asked.push(question),
    terminate: () => Promise.resolve(),
  };
  const say = (event: string, value: unknown) => listeners.get(event)?.(value);
  return { thread, asked, say };
}

describe('the real tokeniser', () => {
  const counter = createTokenCounter(noLog);
  afterAll(() => counter.stop());

  test('counts each text by itself', async () => {
    expect(await counter.count(['Hello, world', '안녕하세요', ''])).toBe(
      countTokens('Hello, world') + countTokens('안녕하세요'),
    );
    expect(await counter.count([])).toBe(0);
  });

  test('counts the special tokens of models as plain text', async () => {
    expect(await counter.count(['<|endoftext|>'])).toBeGreaterThan(1);
  });

  test('counts a long text piece by piece', async () => {
    const text = 'the cost of a request is counted '.repeat(5_000);
    expect(await counter.count([text])).toBe(countTokens(text));
  });
});

test('no thread runs before the first count', async () => {
  const { thread, asked, say } = fakeThread();
  const start = jest.fn(() => thread);
  const counter = createTokenCounter(noLog, { start });
  await counter.count(['']);
  expect(start).not.toHaveBeenCalled();
  const counted = counter.count(['a']);
  const again = counter.count(['b']);
  expect(start).toHaveBeenCalledTimes(1);
  for (const { id } of asked) say('message', { id, tokens: id + 7 });
  expect([await counted, await again]).toEqual([7, 8]);
  await counter.stop();
});

test('the queue is bounded, and further texts are not counted', async () => {
  const { thread, asked, say } = fakeThread();
  const counter = createTokenCounter(noLog, { start: () => thread, waitingCharacters: 10 });
  const first = counter.count(['12345678']);
  expect(await counter.count(['123'])).toBeUndefined();
  say('message', { id: asked[0]?.id, tokens: 3 });
  expect(await first).toBe(3);
  void counter.count(['123']);
  expect(asked).toHaveLength(2);
  await counter.stop();
});

test('a thread that exits loses its texts, is logged, and is replaced', async () => {
  const threads = [fakeThread(), fakeThread()];
  const [first, second] = threads;
  let started = 0;
  const errors: string[] = [];
  const counter = createTokenCounter(
    { error: (text: string) => errors.push(text) as never },
    { start: () => (threads[started++] ?? fakeThread()).thread },
  );
  const lost = counter.count(['a']);
  first?.say('error', new Error('out of memory'));
  expect(await lost).toBeUndefined();
  expect(errors).toEqual(['tokeniser failed']);
  const counted = counter.count(['b']);
  second?.say('message', { id: second.asked[0]?.id, tokens: 1 });
  expect(await counted).toBe(1);
  await counter.stop();
});

test('a count has a deadline', async () => {
  const { thread } = fakeThread();
  const counter = createTokenCounter(noLog, { start: () => thread, deadlineMs: 1 });
  expect(await counter.count(['a'])).toBeUndefined();
  await counter.stop();
});
