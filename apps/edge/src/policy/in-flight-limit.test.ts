import fc from 'fast-check';

import { createInFlightLimit } from './in-flight-limit';

function start(least = 4, most = 100) {
  const clock = { nowMs: 0 };
  const limit = createInFlightLimit({ least, most, targetMs: 100, nowMs: () => clock.nowMs });
  const grow = (times: number): void => {
    for (let n = 0; n < times; n += 1) limit.answered(10, true);
  };
  return { clock, grow, limit };
}

test('grows by one with each quick decision while requests wait, up to its maximum', () => {
  const { grow, limit } = start();
  limit.answered(10, false);
  expect(limit.current()).toBe(4);
  grow(10);
  expect(limit.current()).toBe(14);
  grow(1_000);
  expect(limit.current()).toBe(100);
});

test('stays the same for decisions that are neither quick nor slow', () => {
  const { grow, limit } = start();
  grow(10);
  limit.answered(150, true);
  expect(limit.current()).toBe(14);
});

test('shrinks by a quarter for slow decisions, at most once per reaction time', () => {
  const { clock, grow, limit } = start();
  grow(96);
  for (let n = 0; n < 50; n += 1) limit.answered(300, true);
  expect(limit.current()).toBe(75);
  clock.nowMs = 200;
  limit.missed();
  limit.missed();
  expect(limit.current()).toBe(56);
});

test('stays within its bounds for any sequence of decisions', () => {
  const event = fc.record({ tookMs: fc.nat(500), more: fc.boolean(), passedMs: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 300 }), (events) => {
      const { clock, limit } = start();
      for (const { tookMs, more, passedMs } of events) {
        clock.nowMs += passedMs;
        limit.answered(tookMs, more);
        expect(limit.current()).toBeGreaterThanOrEqual(4);
        expect(limit.current()).toBeLessThanOrEqual(100);
      }
    }),
  );
});
