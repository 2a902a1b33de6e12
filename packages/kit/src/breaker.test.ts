import { BreakerOpenError, createBreaker } from './breaker';

function breakerAt(startMs: number) {
  const clock = { ms: startMs, now: () => clock.ms };
  return { clock, breaker: createBreaker({ failures: 3, coolMs: 1000, clock }) };
}

const fails = () => Promise.reject(new Error('away'));
const works = () => Promise.resolve('here');

test('it opens after as many failures in a row as it was told, not before', async () => {
  const { breaker } = breakerAt(0);
  for (let call = 0; call < 2; call += 1) await expect(breaker.run(fails)).rejects.toThrow('away');
  expect(breaker.state()).toBe('closed');
  await expect(breaker.run(fails)).rejects.toThrow('away');
  expect(breaker.state()).toBe('open');
  await expect(breaker.run(works)).rejects.toThrow(BreakerOpenError);
});

test('a success in between starts the count anew', async () => {
  const { breaker } = breakerAt(0);
  for (const call of [fails, fails, works, fails, fails]) {
    await breaker.run<unknown>(call).catch(() => 'failed');
  }
  expect(breaker.state()).toBe('closed');
});

test('after the pause one trial is let through, and its success closes it', () => {
  const { clock, breaker } = breakerAt(0);
  for (let failure = 0; failure < 3; failure += 1) breaker.failed();
  clock.ms = 999;
  expect(breaker.allow()).toBe(false);
  clock.ms = 1000;
  expect(breaker.state()).toBe('half-open');
  expect(breaker.allow()).toBe(true);
  expect(breaker.allow()).toBe(false);
  breaker.succeeded();
  expect(breaker.state()).toBe('closed');
  expect(breaker.allow()).toBe(true);
});

test('a failed trial opens it for another pause', () => {
  const { clock, breaker } = breakerAt(0);
  for (let failure = 0; failure < 3; failure += 1) breaker.failed();
  clock.ms = 1000;
  breaker.allow();
  breaker.failed();
  expect(breaker.state()).toBe('open');
  clock.ms = 1999;
  expect(breaker.allow()).toBe(false);
  clock.ms = 2000;
  expect(breaker.allow()).toBe(true);
});

test('a trial that never reports does not keep it open for ever', () => {
  const { clock, breaker } = breakerAt(0);
  for (let failure = 0; failure < 3; failure += 1) breaker.failed();
  clock.ms = 1000;
  expect(breaker.allow()).toBe(true);
  clock.ms = 2000;
  expect(breaker.allow()).toBe(true);
});

test('failures of calls begun before it opened do not lengthen the pause', () => {
  const { clock, breaker } = breakerAt(0);
  for (let failure = 0; failure < 3; failure += 1) breaker.failed();
  clock.ms = 900;
  breaker.failed();
  clock.ms = 1000;
  expect(breaker.state()).toBe('half-open');
});
