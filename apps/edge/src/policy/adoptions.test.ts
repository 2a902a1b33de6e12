import { ADOPTIONS_AT_ONCE, createAdoptions } from './adoptions';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Holds are numbers here; the test answers each adoption. */
function start() {
  const ended = new Set<number>();
  const asked: { hold: number; answer: (done: boolean) => void }[] = [];
  const adoptions = createAdoptions<number>({
    needed: (hold) => !ended.has(hold),
    adopt: (hold) => new Promise((answer) => asked.push({ hold, answer })),
  });
  const answer = async (at: number, done: boolean): Promise<void> => {
    asked[at]?.answer(done);
    await jest.advanceTimersByTimeAsync(0);
  };
  const holds = () => asked.map(({ hold }) => hold);
  return { adoptions, answer, asked, ended, holds };
}

test('so many holds are adopted at once, and the next when one is', async () => {
  const { adoptions, answer, asked } = start();
  adoptions.add(Array.from({ length: 1_000 }, (_, n) => n));
  expect(asked).toHaveLength(ADOPTIONS_AT_ONCE);
  await answer(3, true);
  expect(asked).toHaveLength(ADOPTIONS_AT_ONCE + 1);
});

test('a hold that no policy took is tried again, but not at once', async () => {
  const { adoptions, answer, holds } = start();
  adoptions.add([1]);
  await answer(0, false);
  expect(holds()).toEqual([1]);
  await jest.advanceTimersByTimeAsync(100);
  expect(holds()).toEqual([1, 1]);
  await answer(1, true);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(holds()).toEqual([1, 1]);
});

test('a hold that has ended in the meantime is left alone', async () => {
  const { adoptions, answer, ended, holds } = start();
  adoptions.add([1]);
  ended.add(1);
  await answer(0, false);
  await jest.advanceTimersByTimeAsync(1_000);
  adoptions.add([1, 2]);
  expect(holds()).toEqual([1, 2]);
});

test('nothing is tried after the stop', async () => {
  const { adoptions, answer, holds } = start();
  adoptions.add([1]);
  await answer(0, false);
  adoptions.stop();
  await jest.advanceTimersByTimeAsync(1_000);
  adoptions.add([2]);
  expect(holds()).toEqual([1]);
});
