import fc from 'fast-check';

import { createMessageRate } from './message-rate';

const KEY = Buffer.alloc(32, 1);

function setUp(perMinute: number) {
  const clock = { nowMs: 5_000 };
  const rate = createMessageRate({ perMinute, nowMs: () => clock.nowMs });
  /** How many of so many messages pass. */
  const send = (count: number, key = KEY): number => {
    let passed = 0;
    for (let n = 0; n < count; n += 1) {
      try {
        rate.take(key);
        passed += 1;
      } catch {
        return passed;
      }
    }
    return passed;
  };
  return { clock, rate, send };
}

test('as many as fit into a minute pass at once, and none more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), (perMinute) => {
      expect(setUp(perMinute).send(perMinute + 10)).toBe(perMinute);
    }),
  );
});

test('places come back steadily, up to a minute’s worth', () => {
  const { clock, send } = setUp(60);
  send(60);
  clock.nowMs += 3_000;
  expect(send(60)).toBe(3);
  clock.nowMs += 600_000;
  expect(send(100)).toBe(60);
});

test('the refusal says how long to wait, and takes no place', () => {
  const { clock, rate, send } = setUp(60);
  send(60);
  for (let n = 0; n < 5; n += 1) {
    expect(() => rate.take(KEY)).toThrow(
      expect.objectContaining({
        code: 'rate_limit_exceeded',
        retryAfterMs: expect.closeTo(1_000, 3),
        details: { resource: 'mcp messages', limit: 60 },
      }),
    );
  }
  clock.nowMs += 1_000;
  expect(send(5)).toBe(1);
});

test('keys do not share it', () => {
  const { send } = setUp(10);
  send(10);
  expect(send(10, Buffer.alloc(32, 2))).toBe(10);
});
