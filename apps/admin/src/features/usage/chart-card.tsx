'use client';

import { isOneOf, type rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import { BarChart, Legend, type Series } from '../../design/bar-chart';
import { Card } from '../../design/card';
import { Segmented } from '../../design/segmented';
import type { ChartActions } from '../../design/use-chart-pointer';
import { showUsd, showUsdTick } from '../../format/money';
import { plural, showCount, showShort } from '../../format/numbers';
import { showTime, type TimeFormat } from '../../format/time';
import type { Span } from './range';
import { METRICS, type Metric } from './state';

const LABELS: Record<Metric, string> = {
  cost: 'Spend',
  requests: 'Requests',
  tokens: 'Tokens',
  errors: 'Errors',
};
const OPTIONS = METRICS.map((value) => ({ value, label: LABELS[value] }));

const SHORT: Record<rest.ExplorerBucket, TimeFormat> = { hour: 'hour', day: 'day', month: 'month' };
const LONG: Record<rest.ExplorerBucket, TimeFormat> = {
  hour: 'moment',
  day: 'date',
  month: 'month',
};

export function pointsOf(spans: readonly Span[], bucket: rest.ExplorerBucket, timeZone: string) {
  return spans.map(({ startMs }) => ({
    short: showTime(startMs, SHORT[bucket], timeZone),
    long: showTime(startMs, LONG[bucket], timeZone),
  }));
}

/** A value of the metric as text. */
export function showMetric(metric: Metric): (value: number) => string {
  return metric === 'cost' ? (value) => showUsd(decimal(value)) : showCount;
}

interface ChartCardProps extends ChartActions {
  readonly metric: Metric;
  readonly onMetric: (metric: Metric) => void;
  /** The breakdown in the title: "by model". */
  readonly words: string;
  readonly spans: readonly Span[];
  readonly bucket: rest.ExplorerBucket;
  readonly timeZone: string;
  readonly series: readonly Series[];
  readonly before?: Series | undefined;
  /** The change against the previous period, in a sentence. */
  readonly change?: string | undefined;
  /** The requests of the whole period, which explain an empty chart. */
  readonly requests: number;
  readonly hint?: ReactNode;
}

/** A chart of one metric over time. */
export function ChartCard(props: ChartCardProps) {
  const { metric, onMetric, words, spans, bucket, timeZone, series, before, hint } = props;
  const { change, requests, onRange, onPick } = props;
  const money = metric === 'cost';
  return (
    <Card
      title={`${LABELS[metric]} ${words}`}
      hint={hint}
      action={
        <Segmented
          label="Metric"
          options={OPTIONS}
          value={metric}
          onChange={(value) => {
            if (isOneOf(METRICS, value)) onMetric(value);
          }}
        />
      }
    >
      {change !== undefined && <p className="mb-3 text-ink-soft">{change}</p>}
      <div className="mb-4 flex flex-wrap justify-between gap-2">
        <Legend series={series} onPick={onPick} />
        <p className="flex items-center gap-2 text-sm text-ink-faint">
          {before !== undefined && (
            <span className="w-5 border-t-2 border-dashed border-ink" aria-hidden />
          )}
          {before === undefined ? timeZone : `previous period · ${timeZone}`}
        </p>
      </div>
      <BarChart
        label={`${LABELS[metric]} ${words}, by ${bucket}`}
        bars={pointsOf(spans, bucket, timeZone)}
        series={series}
        before={before}
        whole={!money}
        empty={emptyWords(metric, requests, bucket)}
        show={showMetric(metric)}
        showTick={money ? showUsdTick : showShort}
        onRange={onRange}
        onPick={onPick}
      />
      {onRange !== undefined && (
        <p className="mt-3 text-sm text-ink-faint max-lg:hidden">
          Drag over the chart to show only that period.{' '}
          {onPick === undefined
            ? 'Click a bar to show only its time.'
            : 'Click a part of a bar, or its name above, to filter by it.'}
        </p>
      )}
    </Card>
  );
}

/** Why there is no bar, and what the bars would be. */
function emptyWords(metric: Metric, requests: number, bucket: rest.ExplorerBucket): string {
  const shows = `This chart shows ${LABELS[metric].toLowerCase()} by ${bucket}.`;
  if (requests === 0) return `No requests in this period. ${shows}`;
  const all = plural(requests, 'request');
  switch (metric) {
    case 'errors':
      return `No errors in this period: ${all} without one. ${shows}`;
    case 'cost':
      return `${all} cost nothing in this period. Models without a price have no spend. ${shows}`;
    case 'tokens':
      return `${all} had no tokens in this period. ${shows}`;
    case 'requests':
      return shows;
  }
}

/** Converts a number back into an amount: nine places, no exponent. */
function decimal(value: number): string {
  return value.toFixed(9);
}
