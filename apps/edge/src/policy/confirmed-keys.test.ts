import { createConfirmedKeys } from './confirmed-keys';

const key = Buffer.alloc(32, 1);

function setUp(answers: readonly boolean[]) {
  let now = 0;
  let asked = 0;
  const keys = createConfirmedKeys({
    nowMs: () => now,
    ask: () => Promise.resolve(answers[asked++] ?? false),
  });
  return { keys, asked: () => asked, pass: (ms: number) => (now += ms) };
}

test('a confirmed key is not checked again for 30 seconds', async () => {
  const { keys, asked, pass } = setUp([true, true]);
  expect(await keys.confirm(key)).toBe(true);
  pass(29_999);
  expect(keys.confirm(key)).toBe(true);
  expect(asked()).toBe(1);
  pass(1);
  expect(await keys.confirm(key)).toBe(true);
  expect(asked()).toBe(2);
});

test('an invalid key is checked every time', async () => {
  const { keys, asked } = setUp([false, true]);
  expect(await keys.confirm(key)).toBe(false);
  expect(await keys.confirm(key)).toBe(true);
  expect(asked()).toBe(2);
});

test('concurrent requests with one key share one check', async () => {
  const { keys, asked } = setUp([true]);
  const answers = await Promise.all([1, 2, 3].map(async () => keys.confirm(key)));
  expect(answers).toEqual([true, true, true]);
  expect(asked()).toBe(1);
});
