import fc from 'fast-check';

import { createByteBudget } from './byte-budget';

test('a request that exceeds the budget is refused as a whole', () => {
  const budget = createByteBudget({ totalBytes: 100 });
  const a = budget.open();
  a.confirm();
  expect(a.take(60)).toBe(true);
  const b = budget.open();
  b.confirm();
  expect(b.take(41)).toBe(false);
  expect(b.take(40)).toBe(true);
  expect(budget.used()).toBe(100);
  a.release();
  b.release();
  expect(budget.used()).toBe(0);
});

test('requests with unknown keys share a quarter, and known keys do not need it', () => {
  const budget = createByteBudget({ totalBytes: 100 });
  const stranger = budget.open();
  expect(stranger.take(25)).toBe(true);
  expect(budget.open().take(1)).toBe(false);
  const known = budget.open();
  known.confirm();
  expect(known.take(70)).toBe(true);
  stranger.confirm();
  expect(budget.open().take(1)).toBe(true);
});

test('one key has at most half, but a single body of it may have everything', () => {
  const budget = createByteBudget({ totalBytes: 100 });
  const [first, second, other] = [budget.open(), budget.open(), budget.open()];
  first.confirm('k');
  second.confirm('k');
  other.confirm('l');
  expect(first.take(45)).toBe(true);
  expect(second.take(6)).toBe(false);
  expect(second.take(5)).toBe(true);
  expect(other.take(45)).toBe(true);
  first.release();
  second.release();
  other.release();
  const large = budget.open();
  large.confirm('k');
  expect(large.take(60)).toBe(true);
  expect(large.take(40)).toBe(true);
});

test('a released request takes no more bytes', () => {
  const budget = createByteBudget({ totalBytes: 100 });
  const lease = budget.open();
  lease.take(10);
  lease.release();
  lease.release();
  expect(lease.take(1)).toBe(false);
  expect(budget.used()).toBe(0);
});

test('for any sequence of requests, the total stays within the budget and everything is returned', () => {
  const step = fc.record({
    request: fc.nat(5),
    act: fc.constantFrom('take', 'confirm', 'own', 'release'),
    bytes: fc.nat(60),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = createByteBudget({ totalBytes: 100 });
      const leases = Array.from({ length: 6 }, () => budget.open());
      for (const { request, act, bytes } of steps) {
        const lease = leases[request];
        if (act === 'take') lease?.take(bytes);
        else if (act === 'release') lease?.release();
        else lease?.confirm(act === 'own' ? `key-${request % 2}` : undefined);
        expect(budget.used()).toBeLessThanOrEqual(100);
        expect(budget.used()).toBeGreaterThanOrEqual(0);
      }
      for (const lease of leases) lease.release();
      expect(budget.used()).toBe(0);
      const next = budget.open();
      expect(next.take(25)).toBe(true);
      next.confirm('key-0');
      expect(next.take(75)).toBe(true);
    }),
  );
});

test('waiting requests are served in order, and the first one alone may exceed the budget', async () => {
  const budget = createByteBudget({ totalBytes: 100 });
  const [first, second, third] = [budget.open(), budget.open(), budget.open()];
  for (const lease of [first, second, third]) lease.confirm();
  first.take(50);
  second.take(50);
  const served: string[] = [];
  const wait = async (name: string, lease: typeof first): Promise<void> => {
    await lease.takeSoon(30);
    served.push(name);
  };
  const waits = [wait('first', first), wait('second', second), wait('third', third)];
  await Promise.resolve();
  await Promise.resolve();
  // Both are half received. One may exceed the budget, so that they do not block each other.
  await first.takeSoon(0);
  expect(served).toEqual(['first']);
  expect(budget.used()).toBe(130);
  first.release();
  // The second fits now, and the third may exceed the budget.
  await Promise.all(waits);
  expect(served).toEqual(['first', 'second', 'third']);
  expect(budget.used()).toBe(110);
  second.release();
  third.release();
  expect(budget.used()).toBe(0);
});

test('a waiting request that is released stops waiting', async () => {
  const budget = createByteBudget({ totalBytes: 10 });
  const [holder, other, gone] = [budget.open(), budget.open(), budget.open()];
  for (const lease of [holder, other, gone]) lease.confirm();
  holder.take(10);
  await other.takeSoon(5);
  const waiting = gone.takeSoon(5);
  gone.release();
  await waiting;
  expect(budget.used()).toBe(15);
});

test('any number of bodies that arrive in pieces complete', async () => {
  const budget = createByteBudget({ totalBytes: 100 });
  const read = async (owner: string): Promise<void> => {
    const lease = budget.open();
    lease.confirm(owner);
    for (let piece = 0; piece < 6; piece += 1) {
      if (!lease.take(10)) await lease.takeSoon(10);
      expect(budget.used()).toBeLessThanOrEqual(160);
      await new Promise((resolve) => setImmediate(resolve));
    }
    lease.release();
  };
  await Promise.all(Array.from({ length: 30 }, (_, n) => read(`key-${n % 3}`)));
  expect(budget.used()).toBe(0);
});
