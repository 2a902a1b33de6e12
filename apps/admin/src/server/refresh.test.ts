import { createRefresh } from './refresh';

const tokensOf = (refresh: string) => ({
  access: `access of ${refresh}`,
  accessSeconds: 900,
  refresh,
  refreshSeconds: 1_000,
});

function counting() {
  let nowMs = 0;
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const refresh = createRefresh({
    clock: { now: () => nowMs },
    exchange: (token) => {
      asked.push(token);
      const next = tokensOf(`${token}+${asked.length}`);
      return new Promise((resolve) => answers.push(() => resolve(next)));
    },
  });
  return {
    refresh,
    asked,
    answerAll: () => {
      for (const answer of answers.splice(0)) answer();
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('requests that come together with one token exchange it once', async () => {
  const { refresh, asked, answerAll } = counting();
  const all = Promise.all([refresh('a'), refresh('a'), refresh('b'), refresh('a')]);
  await Promise.resolve();
  answerAll();
  const [first, second, other, third] = await all;
  expect(asked).toEqual(['a', 'b']);
  expect([second, third]).toEqual([first, first]);
  expect(other?.refresh).toBe('b+2');
});

test('a request that was on its way with the old token gets the new ones', async () => {
  const { refresh, asked, answerAll, wait } = counting();
  const first = refresh('a');
  await Promise.resolve();
  answerAll();
  await first;
  wait(9_999);
  expect(await refresh('a')).toEqual(await first);
  wait(1);
  void refresh('a');
  await Promise.resolve();
  expect(asked).toEqual(['a', 'a']);
});

test('an end of the session and a failure are not remembered', async () => {
  const outcomes = [
    () => Promise.reject(new Error('away')),
    () => Promise.resolve(undefined),
    () => Promise.resolve(tokensOf('n')),
  ];
  const refresh = createRefresh({
    clock: { now: () => 0 },
    exchange: () => (outcomes.shift() ?? (() => Promise.resolve(undefined)))(),
  });
  await expect(refresh('a')).rejects.toThrow('away');
  expect(await refresh('a')).toBeUndefined();
  expect((await refresh('a'))?.refresh).toBe('n');
});
