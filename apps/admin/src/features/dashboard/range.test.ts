import { bucketsOf, fill, rangeOf, rollupQuery } from './range';

const noon = Date.UTC(2026, 2, 30, 12, 34);

test('an unknown range is the usual one', () => {
  expect([rangeOf('24h'), rangeOf('toString'), rangeOf(null)]).toEqual(['24h', '30d', '30d']);
});

test("days begin as the organisation's calendar has them, over the change of clocks too", () => {
  const days = bucketsOf('7d', noon, 'Europe/Berlin');
  expect(days).toHaveLength(7);
  const hours = days.map(({ startMs, endMs }) => (endMs - startMs) / 3_600_000);
  expect(hours).toEqual([24, 24, 24, 24, 24, 23, 24]);
  for (const [index, { startMs }] of days.slice(1).entries()) {
    expect(startMs).toBe(days[index]?.endMs);
  }
});

test('a year is twelve months, the present one last', () => {
  const months = bucketsOf('12m', noon, 'UTC').map(({ startMs }) =>
    new Date(startMs).toISOString(),
  );
  expect([months[0], months.at(-1)]).toEqual([
    '2025-04-01T00:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
  ]);
});

test('within one bucket the same is asked for', () => {
  const asked = rollupQuery('24h', noon, 'UTC');
  expect(rollupQuery('24h', noon + 20 * 60_000, 'UTC')).toEqual(asked);
  expect(asked).toEqual({
    from: '2026-03-29T13:00:00.000Z',
    to: '2026-03-30T13:00:00.000Z',
    bucket: 'hour',
  });
});

test('each row goes into its bucket, and buckets without one stay empty', () => {
  const spans = [
    { startMs: 0, endMs: 10 },
    { startMs: 10, endMs: 20 },
  ];
  const row = {
    start: new Date(10).toISOString(),
    group: null,
    requests: 1,
    errors: 0,
    tokensIn: 0,
    tokensOut: 0,
    tokens: {
      input: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      output: 0,
      audioOutput: 0,
      reasoning: 0,
    },
    costUsd: '0',
    meanLatencyMs: null,
  };
  expect(fill(spans, [row, { ...row, start: null }])).toEqual([undefined, row]);
});
