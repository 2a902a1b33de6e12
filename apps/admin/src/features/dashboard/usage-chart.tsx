'use client';

import { useState } from 'react';
import type { rest } from '@tollgate/contracts';
import { BarChart, Legend, type Series } from '../../design/bar-chart';
import { Card } from '../../design/card';
import { Segmented } from '../../design/segmented';
import { showUsd, usdAsNumber } from '../../format/money';
import { showCount, showShort } from '../../format/numbers';
import { showTime, type TimeFormat } from '../../format/time';
import { fill, RANGES, type Range, type Span } from './range';

const METRICS = [
  { value: 'requests', label: 'Requests' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost' },
] as const;
type Metric = (typeof METRICS)[number]['value'];

const SHORT: Record<rest.RollupBucket, TimeFormat> = {
  total: 'date',
  hour: 'hour',
  day: 'day',
  month: 'month',
};
const LONG: Record<rest.RollupBucket, TimeFormat> = {
  total: 'date',
  hour: 'moment',
  day: 'date',
  month: 'month',
};

type UsageChartProps = {
  readonly range: Range;
  readonly spans: readonly Span[];
  readonly rows: rest.UsageRollup['data'];
  readonly timeZone: string;
};

/** Requests, tokens or cost over time. */
export function UsageChart({ range, spans, rows, timeZone }: UsageChartProps) {
  const [metric, setMetric] = useState<Metric>('requests');
  const { bucket, words } = RANGES[range];
  const series = seriesOf(metric, fill(spans, rows));
  const money = metric === 'cost';
  return (
    <Card
      title="Usage over time"
      action={
        <Segmented label="What is shown" options={METRICS} value={metric} onChange={setMetric} />
      }
    >
      <div className="mb-4 flex flex-wrap justify-between gap-2">
        <Legend series={series} />
        <p className="text-sm text-ink-faint">Time zone {timeZone}</p>
      </div>
      <BarChart
        label={`${METRICS.find(({ value }) => value === metric)?.label ?? ''} in ${words}`}
        bars={spans.map(({ startMs }) => ({
          short: showTime(startMs, SHORT[bucket], timeZone),
          long: showTime(startMs, LONG[bucket], timeZone),
        }))}
        series={series}
        whole={!money}
        show={money ? (value) => showUsd(decimal(value)) : showCount}
        showTick={money ? showMoneyTick : showShort}
      />
    </Card>
  );
}

function seriesOf(
  metric: Metric,
  rows: readonly (rest.UsageRollup['data'][number] | undefined)[],
): Series[] {
  switch (metric) {
    case 'requests':
      return [
        {
          name: 'Answered',
          colour: 'accent',
          values: rows.map((row) => (row === undefined ? 0 : row.requests - row.errors)),
        },
        { name: 'Errors', colour: 'bad', values: rows.map((row) => row?.errors ?? 0) },
      ];
    case 'tokens':
      return [
        { name: 'Input', colour: 'accent', values: rows.map((row) => row?.tokensIn ?? 0) },
        { name: 'Output', colour: 'second', values: rows.map((row) => row?.tokensOut ?? 0) },
      ];
    case 'cost':
      return [
        {
          name: 'Cost',
          colour: 'accent',
          values: rows.map((row) => (row === undefined ? 0 : usdAsNumber(row.costUsd))),
        },
      ];
  }
}

/** A number that came from an amount, as an amount again: nine places, never an exponent. */
function decimal(value: number): string {
  return value.toFixed(9);
}

function showMoneyTick(value: number): string {
  if (value === 0) return '$0';
  return value >= 1_000 ? `$${showShort(value)}` : showUsd(decimal(value));
}
