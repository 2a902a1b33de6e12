import {
  bucketsBetween,
  bucketsOf,
  dayAt,
  edgeOf,
  fill,
  periodOf,
  rangeOf,
  spanOfRange,
} from './range';

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
  const asked = spanOfRange('24h', noon, 'UTC');
  expect(spanOfRange('24h', noon + 20 * 60_000, 'UTC')).toEqual(asked);
  expect(asked).toEqual({
    startMs: Date.parse('2026-03-29T13:00:00.000Z'),
    endMs: Date.parse('2026-03-30T13:00:00.000Z'),
  });
});

test('the buckets of a span are the same as those of a range, and cut at its ends', () => {
  const zone = 'Europe/Berlin';
  expect(bucketsBetween(spanOfRange('90d', noon, zone), 'day', zone)).toEqual(
    bucketsOf('90d', noon, zone),
  );
  const days = { startMs: dayAt(Date.UTC(2026, 0, 30), 'UTC').startMs, endMs: noon };
  const months = bucketsBetween(days, 'month', 'UTC');
  expect(months.map(({ startMs }) => new Date(startMs).toISOString().slice(0, 10))).toEqual([
    '2026-01-30',
    '2026-02-01',
    '2026-03-01',
  ]);
  expect(months.at(-1)?.endMs).toBe(noon);
});

test('each row goes into its bucket, and buckets without one stay empty', () => {
  const spans = [
    { startMs: 5, endMs: 10 },
    { startMs: 10, endMs: 20 },
    { startMs: 20, endMs: 30 },
  ];
  const at = (ms: number) => ({ start: new Date(ms).toISOString() });
  // The first bucket is cut: its row bears the begin of the whole one.
  expect(fill(spans, [at(0), at(20), at(30)])).toEqual([at(0), undefined, at(20)]);
});

test('the period of marked bars is days, or full hours, as the address has them', () => {
  const days = { startMs: Date.parse('2026-03-28T23:00Z'), endMs: Date.parse('2026-03-30T22:00Z') };
  expect(periodOf(days, 'day', 'Europe/Berlin')).toEqual({
    range: 'custom',
    from: '2026-03-29',
    to: '2026-03-30',
    bucket: undefined,
  });
  const hours = {
    startMs: Date.parse('2026-03-29T14:00Z'),
    endMs: Date.parse('2026-03-29T17:00Z'),
  };
  const period = periodOf(hours, 'hour', 'Europe/Berlin');
  expect(period).toMatchObject({ from: '2026-03-29T14:00Z', to: '2026-03-29T17:00Z' });
  expect(edgeOf(period.from, 'Europe/Berlin')?.startMs).toBe(hours.startMs);
  expect(edgeOf(period.to, 'Europe/Berlin')?.endMs).toBe(hours.endMs);
});

test.each(['2026-13-01', '2026-03-29T14:30Z', '2026-03-29T25:00Z', 'x', undefined])(
  '%s is no edge of a period',
  (text) => {
    expect(edgeOf(text, 'UTC')).toBeUndefined();
  },
);
