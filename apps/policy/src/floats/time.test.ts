import { createRedisTime } from './time';

function clock() {
  const own = { ms: 1_000 };
  const time = createRedisTime({ monotonicMs: () => own.ms, wallMs: () => own.ms });
  /** A call that takes `tripMs`, answered by a server whose clock says `redisMs` when it arrives. */
  const call = (redisMs: number, tripMs: number): void => {
    const sentAt = time.sent();
    own.ms += tripMs;
    time.learn(redisMs, sentAt);
  };
  return { own, time, call };
}

describe('the estimated time of Redis', () => {
  test('it is that of the quickest reply, never ahead of it', () => {
    const { own, time, call } = clock();
    expect(time.now()).toBeUndefined();
    call(50_000, 10);
    expect(time.now()).toBe(50_000);
    own.ms += 100;
    expect(time.now()).toBe(50_100);
    call(50_104, 4);
    expect(time.now()).toBe(50_104);
    call(50_105, 9);
    expect(time.now()).toBe(50_113);
  });

  test('it follows a clock that was set back', () => {
    const { own, time, call } = clock();
    call(50_000, 2);
    call(20_000, 2);
    expect(time.now()).toBe(20_000);
    own.ms += 5;
    expect(time.now()).toBe(20_005);
  });

  test('it does not get ahead of a clock that is slower than ours', () => {
    const { own, time, call } = clock();
    let redisMs = 50_000;
    for (let i = 0; i < 100; i += 1) {
      own.ms += 1_000;
      redisMs += 999;
      call(redisMs + 1, 2);
      redisMs += 2;
    }
    expect(time.now()).toBeLessThanOrEqual(redisMs + 2);
  });

  test('an answer from an earlier call does not set it back', () => {
    const { own, time, call } = clock();
    call(50_000, 2);
    own.ms += 1_000;
    time.learn(50_001);
    expect(time.now()).toBe(51_000);
  });
});
