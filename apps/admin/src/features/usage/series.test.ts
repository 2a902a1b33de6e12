import type { rest } from '@tollgate/contracts';

import { earlierSeries, groupSeries, latencySeries, wholeSeries } from './series';

const spans = [0, 10, 20].map((startMs) => ({ startMs, endMs: startMs + 10 }));
const percentiles = { p50: 100, p95: 300, p99: null, mean: 120, count: 2 };

function measures(costUsd: string, over: Partial<rest.UsageMeasures> = {}): rest.UsageMeasures {
  return {
    requests: 4,
    errors: 1,
    tokensIn: 10,
    tokensOut: 5,
    tokens: {
      input: 10,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      output: 5,
      audioOutput: 0,
      imageOutput: 0,
      reasoning: 0,
    },
    costUsd,
    cacheSavedUsd: '0',
    routingSavedUsd: '0',
    latencyMs: null,
    firstTokenMs: null,
    ...over,
  };
}

function point(ms: number, own: rest.UsageMeasures, id: string | null = null) {
  const group = id === null ? null : { id, name: id };
  return { start: new Date(ms).toISOString(), group, measures: own };
}

test('requests are answered ones and errors, and buckets without any are empty', () => {
  const [answered, errors] = wholeSeries('requests', spans, [point(10, measures('1'))]);
  expect(answered?.values).toEqual([0, 3, 0]);
  expect(errors?.values).toEqual([0, 1, 0]);
});

function group(id: string, costUsd: string) {
  return { group: { id, name: id }, totals: measures(costUsd), previous: null };
}

test('the largest groups have a colour each; the rest is what is left of the whole', () => {
  const ids = Array.from({ length: 8 }, (_, index) => `g${String(index)}`);
  const grouped = {
    // Smallest first: the chart sorts by what it shows.
    groups: ids.map((id, index) => group(id, String(index + 1))),
    series: ids.map((id, index) => point(0, measures(String(index + 1)), id)),
  };
  const series = groupSeries('model', 'cost', spans, grouped, [point(0, measures('36'))]);
  expect(series.map(({ name }) => name)).toEqual(['g7', 'g6', 'g5', 'g4', 'g3', 'g2', 'Others']);
  expect(series.at(-1)?.values).toEqual([3, 0, 0]);
  expect(new Set(series.map(({ colour }) => colour)).size).toBe(7);
});

test('without a rest there are no others, and the same name twice is told apart', () => {
  const grouped = {
    groups: [group('a', '0.1'), group('b', '0.2')].map((one) => ({
      ...one,
      group: { ...one.group, name: 'key' },
    })),
    series: [point(0, measures('0.1'), 'a'), point(0, measures('0.2'), 'b')],
  };
  // Of binary fractions 0.1 + 0.2 is not 0.3.
  const series = groupSeries('apikey', 'cost', spans, grouped, [point(0, measures('0.3'))]);
  expect(series.map(({ name }) => name)).toEqual(['key', 'key (2)']);
});

test('a shorter period before ends where it ended', () => {
  const before = earlierSeries('errors', spans.slice(0, 2), [point(10, measures('1'))], 3);
  expect(before.values).toEqual([0, 1, null]);
});

test('percentiles are unknown where nothing was measured', () => {
  const own = measures('1', { latencyMs: percentiles });
  const [p50, , p99] = latencySeries('latencyMs', spans, [point(20, own), point(0, measures('1'))]);
  expect(p50?.values).toEqual([null, null, 100]);
  expect(p99?.values).toEqual([null, null, null]);
});
