import { createBatchReporter, type BatchReporterDeps } from './batch-reporter';

const LIMITS = { flushMs: 100, retryMs: 500, batchMax: 2, waitingMax: 4 };

/** Items are numbers; two of one key are reported as their sum. */
function bench(over: Partial<BatchReporterDeps<number>> = {}) {
  const sent: (readonly number[])[] = [];
  const catalog = { away: false, meanwhile: (): void | Promise<void> => {} };
  const reporter = createBatchReporter<number>({
    send: async (items) => {
      await catalog.meanwhile();
      if (catalog.away) throw new Error('the catalog is away');
      sent.push(items);
    },
    merge: (older, newer) => older + newer,
    onFailure: () => 'retry',
    limits: LIMITS,
    ...over,
  });
  return { reporter, sent, catalog };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('what is added is sent after a pause, by the timer alone', async () => {
  const { reporter, sent } = bench();
  reporter.add('a', 1);
  await jest.advanceTimersByTimeAsync(99);
  expect(sent).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([[1]]);
  expect(jest.getTimerCount()).toBe(0);
});

test('items of one key are merged and sent as one', async () => {
  const { reporter, sent } = bench();
  for (const [key, item] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ] as const)
    reporter.add(key, item);
  await reporter.flush();
  expect(sent).toEqual([[4, 2]]);
});

test('a batch is bounded, and the rest goes with the next one', async () => {
  const { reporter, sent } = bench();
  for (const key of ['a', 'b', 'c']) reporter.add(key, 1);
  await jest.advanceTimersByTimeAsync(2 * LIMITS.flushMs);
  expect(sent.map(({ length }) => length)).toEqual([2, 1]);
});

test('a full batch is followed by the next at once, but not after one that was dropped', async () => {
  const { catalog, reporter, sent } = bench({ onFailure: () => 'drop' });
  for (const key of ['a', 'b', 'c', 'd']) reporter.add(key, 1);
  await jest.advanceTimersByTimeAsync(LIMITS.flushMs + 1);
  expect(sent).toHaveLength(2);
  catalog.away = true;
  reporter.add('e', 1);
  await jest.advanceTimersByTimeAsync(1);
  expect(reporter.waiting()).toBe(0);
  catalog.away = false;
  reporter.add('f', 1);
  await jest.advanceTimersByTimeAsync(LIMITS.flushMs - 1);
  expect(sent).toHaveLength(2);
  await jest.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(3);
});

test('a full queue takes no new key, but still what is known', async () => {
  const { reporter } = bench();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'a']) reporter.add(key, 1);
  expect(reporter.waiting()).toBe(4);
  expect(reporter.find('e')).toBeUndefined();
  expect(reporter.find('a')).toBe(2);
});

test('a batch that is not taken is sent again after a longer pause', async () => {
  const { reporter, sent, catalog } = bench();
  catalog.away = true;
  reporter.add('a', 1);
  await jest.advanceTimersByTimeAsync(LIMITS.flushMs);
  catalog.away = false;
  await jest.advanceTimersByTimeAsync(LIMITS.retryMs - 1);
  expect(sent).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(sent).toEqual([[1]]);
});

test('a batch that is not taken is merged with what came meanwhile', async () => {
  const { reporter, sent, catalog } = bench();
  catalog.away = true;
  catalog.meanwhile = () => {
    catalog.meanwhile = () => {};
    reporter.add('a', 5);
  };
  reporter.add('a', 1);
  await reporter.flush();
  catalog.away = false;
  await reporter.flush();
  expect(sent).toEqual([[6]]);
});

test('what is being sent is found and counted until its answer', async () => {
  const { reporter, catalog } = bench();
  const { promise, resolve } = Promise.withResolvers<void>();
  catalog.meanwhile = () => promise;
  reporter.add('a', 1);
  const flushed = reporter.flush();
  await Promise.resolve();
  expect([reporter.find('a'), reporter.waiting()]).toEqual([1, 1]);
  resolve();
  await flushed;
  expect([reporter.find('a'), reporter.waiting()]).toEqual([undefined, 0]);
});

test('a batch that is dropped holds up nothing', async () => {
  const { reporter, sent, catalog } = bench({ onFailure: () => 'drop' });
  catalog.away = true;
  reporter.add('a', 1);
  await reporter.flush();
  catalog.away = false;
  reporter.add('b', 2);
  await jest.advanceTimersByTimeAsync(LIMITS.flushMs);
  expect(sent).toEqual([[2]]);
});

test('who reports is told which keys were taken', async () => {
  const taken: string[] = [];
  const { reporter, catalog } = bench({ onSent: (keys) => taken.push(...keys) });
  catalog.away = true;
  reporter.add('a', 1);
  await reporter.flush();
  expect(taken).toEqual([]);
  catalog.away = false;
  await reporter.flush();
  expect(taken).toEqual(['a']);
});

test('a stop sends what waits, and nothing is taken after it', async () => {
  const { reporter, sent } = bench();
  reporter.add('a', 1);
  await reporter.stop();
  reporter.add('b', 2);
  expect([reporter.waiting(), jest.getTimerCount()]).toEqual([0, 0]);
  expect(sent).toEqual([[1]]);
});
