import { createLoopClock } from './loop-clock';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A clock whose real time passes with ticks, or without any. */
function start() {
  let realMs = 1_000;
  const clock = createLoopClock(() => realMs);
  return {
    clock,
    pass: (ms: number) => {
      for (let n = 0; n < ms; n += 1) {
        realMs += 1;
        jest.advanceTimersByTime(1);
      }
    },
    block: (ms: number) => {
      realMs += ms;
    },
  };
}

test('tells the time while the event loop turns', () => {
  const { clock, pass } = start();
  pass(333);
  expect(clock.now()).toBe(1_333);
  clock.stop();
});

test('counts half of the time that the event loop is held up for', () => {
  const { clock, pass, block } = start();
  block(450);
  expect(clock.now()).toBe(1_000 + 50 + 200);
  pass(100);
  expect(clock.now()).toBeGreaterThan(1_300);
  expect(clock.now()).toBeLessThanOrEqual(1_350);
  clock.stop();
});

test('never goes back, and never takes more than twice as long', () => {
  const { clock, pass, block } = start();
  let last = clock.now();
  let realMs = 0;
  for (const [n, ms] of [30, 80, 500, 1, 25, 5_000, 49, 51].entries()) {
    if (n % 2 === 0) pass(ms);
    else block(ms);
    realMs += ms;
    expect(clock.now()).toBeGreaterThanOrEqual(last);
    last = clock.now();
    expect(last - 1_000).toBeGreaterThanOrEqual(realMs / 2);
    expect(last - 1_000).toBeLessThanOrEqual(realMs);
  }
  clock.stop();
});
