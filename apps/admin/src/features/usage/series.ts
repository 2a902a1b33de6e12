import type { rest } from '@tollgate/contracts';

import { GROUP_COLOURS, type Series } from '../../design/chart-series';
import { usdAsNumber } from '../../format/money';
import { groupName } from './group-name';
import { fill, type Span } from './range';
import type { Group, Metric } from './state';

// Series for the usage charts.

type Point = rest.UsageExploration['series'][number];

export function valueOf(metric: Metric, measures: rest.UsageMeasures): number {
  switch (metric) {
    case 'cost':
      return usdAsNumber(measures.costUsd);
    case 'requests':
      return measures.requests;
    case 'tokens':
      return measures.tokensIn + measures.tokensOut;
    case 'errors':
      return measures.errors;
  }
}

/** Total usage over time, split into its parts. */
export function wholeSeries(
  metric: Metric,
  spans: readonly Span[],
  points: readonly Point[],
): Series[] {
  const rows = fill(spans, points);
  const values = (of: (measures: rest.UsageMeasures) => number): number[] =>
    rows.map((row) => (row === undefined ? 0 : of(row.measures)));
  switch (metric) {
    case 'cost':
      return [{ name: 'Spend', colour: 'accent', values: values((m) => usdAsNumber(m.costUsd)) }];
    case 'requests':
      return [
        { name: 'Answered', colour: 'accent', values: values((m) => m.requests - m.errors) },
        { name: 'Errors', colour: 'bad', values: values((m) => m.errors) },
      ];
    case 'tokens':
      return [
        { name: 'Input', colour: 'accent', values: values((m) => m.tokensIn) },
        { name: 'Output', colour: 'teal', values: values((m) => m.tokensOut) },
      ];
    case 'errors':
      return [{ name: 'Errors', colour: 'bad', values: values((m) => m.errors) }];
  }
}

type Grouped = Pick<rest.UsageExploration, 'groups' | 'series'>;

/** The largest groups over time, each with a colour, and the rest. */
export function groupSeries(
  group: Group,
  metric: Metric,
  spans: readonly Span[],
  grouped: Grouped,
  whole: readonly Point[],
): Series[] {
  const largest = grouped.groups
    .filter(({ totals }) => valueOf(metric, totals) > 0)
    .toSorted((a, b) => valueOf(metric, b.totals) - valueOf(metric, a.totals))
    .slice(0, GROUP_COLOURS.length);
  const series = largest.map(({ group: named }, index): Series => {
    const own = grouped.series.filter((point) => point.group?.id === named.id);
    return {
      name: groupName(group, named),
      ...(named.id !== null && { key: named.id }),
      colour: GROUP_COLOURS[index] ?? 'rest',
      values: valuesOf(metric, spans, own),
    };
  });
  const rest = valuesOf(metric, spans, whole).map((value, point) => {
    const shown = series.reduce((sum, { values }) => sum + (values[point] ?? 0), 0);
    // Ignores differences in the last digit of amounts.
    return value - shown > value * 1e-9 ? value - shown : 0;
  });
  if (rest.every((value) => value === 0)) return distinct(series);
  return distinct([...series, { name: 'Others', colour: 'rest', values: rest }]);
}

/** The previous period's values, aligned to the buckets of this period. */
export function earlierSeries(
  metric: Metric,
  spans: readonly Span[],
  points: readonly Point[],
  count: number,
): Series {
  const values: (number | null)[] = valuesOf(metric, spans, points).slice(0, count);
  while (values.length < count) values.push(null);
  return { name: 'Previous period', colour: 'rest', values };
}

function valuesOf(metric: Metric, spans: readonly Span[], points: readonly Point[]): number[] {
  return fill(spans, points).map((row) => (row === undefined ? 0 : valueOf(metric, row.measures)));
}

/** Makes equal names distinct, which charts and tables need. */
function distinct(series: readonly Series[]): Series[] {
  const seen = new Map<string, number>();
  return series.map((one) => {
    const times = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, times);
    return times === 1 ? one : { ...one, name: `${one.name} (${String(times)})` };
  });
}

const PERCENTILES = [
  { key: 'p50', name: 'Half are faster (p50)', colour: 'accent' },
  { key: 'p95', name: 'p95', colour: 'orange' },
  { key: 'p99', name: 'p99', colour: 'rose' },
] as const;

export type LatencyKind = 'latencyMs' | 'firstTokenMs';

/** Percentiles over time, unknown where there were no requests. */
export function latencySeries(
  kind: LatencyKind,
  spans: readonly Span[],
  points: readonly Point[],
): Series[] {
  const rows = fill(spans, points);
  return PERCENTILES.map(({ key, name, colour }) => ({
    name,
    colour,
    values: rows.map((row) => row?.measures[kind]?.[key] ?? null),
  }));
}
