import { concurrencyOf, idealMinute, minutesOf, mostInAMinute, needless } from './sliding';

// The models judge the rate limits, so they have tests themselves.

const each = (...instants: number[]) => instants.map((atMs) => ({ atMs, amount: 1 }));

test('a request counts for exactly one minute, to the millisecond', () => {
  expect(mostInAMinute(each(0, 60_000))).toBe(1);
  expect(mostInAMinute(each(0, 59_999))).toBe(2);
  expect(mostInAMinute([])).toBe(0);
});

test('the maximum is found in a minute that starts between two seconds', () => {
  const taken = each(500, 30_000, 60_400);
  expect(mostInAMinute(taken)).toBe(3);
  expect(minutesOf(taken, 0, 120_000).most).toBe(2);
});

test('spans lie within the time, one per second', () => {
  const taken = each(0, 1_500, 61_000);
  expect(minutesOf(taken, 0, 62_000)).toEqual({ count: 3, least: 1, mean: 4 / 3, most: 2 });
});

test('an ideal limiter reuses a place after a minute, not before', () => {
  expect(idealMinute([0, 1, 2, 59_999, 60_000, 60_001, 60_002], 2)).toHaveLength(4);
  expect(idealMinute([0, 1, 2], 100, 40)).toEqual([
    { atMs: 0, amount: 40 },
    { atMs: 1, amount: 40 },
  ]);
});

test('five times a limit, offered evenly, is allowed once per minute', () => {
  const arrivals = Array.from({ length: 5 * 60 * 3 }, (_, n) => n * 200);
  expect(idealMinute(arrivals, 60)).toHaveLength(180);
});

test('a request that ends in the millisecond in which another starts does not overlap it', () => {
  const running = [
    { fromMs: 0, toMs: 10 },
    { fromMs: 10, toMs: 20 },
    { fromMs: 15, toMs: 30 },
  ];
  expect(concurrencyOf(running, 0, 30)).toEqual({ most: 2, mean: 35 / 30 });
});

describe('a refusal', () => {
  const taken = [
    { atMs: 0, closedMs: 50, amount: 4, held: 10 },
    { atMs: 1_000, closedMs: 1_100, amount: 4, held: 10 },
  ];
  const of = (atMs: number, untilMs = atMs, amount = 3) =>
    needless([{ atMs, untilMs }], taken, { limit: 10, amount, slackMs: 100 });

  test('is needed if holds and usage leave no room', () => {
    expect(of(40)).toBe(0);
    expect(of(1_050)).toBe(0);
    expect(of(5_000)).toBe(0);
  });

  test('is needless if there was room at every instant', () => {
    expect(of(500)).toBe(1);
    expect(of(500, 999)).toBe(1);
    expect(of(500, 1_000)).toBe(0);
    expect(of(5_000, 5_000, 2)).toBe(1);
  });

  test('is needed for a minute plus the limiter’s slack, and no longer', () => {
    expect(of(60_099)).toBe(0);
    expect(of(60_100)).toBe(1);
  });
});
