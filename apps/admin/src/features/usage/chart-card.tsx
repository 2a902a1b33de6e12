'use client';

import { isOneOf, type rest } from '@tollgate/contracts';
import type { ReactNode } from 'react';

import { BarChart, Legend, type Series } from '../../design/bar-chart';
import { Card } from '../../design/card';
import { Segmented } from '../../design/segmented';
import { showUsd } from '../../format/money';
import { showCount, showShort } from '../../format/numbers';
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

interface ChartCardProps {
  readonly metric: Metric;
  readonly onMetric: (metric: Metric) => void;
  /** The breakdown in the title: "by model". */
  readonly words: string;
  readonly spans: readonly Span[];
  readonly bucket: rest.ExplorerBucket;
  readonly timeZone: string;
  readonly series: readonly Series[];
  readonly before?: Series | undefined;
  readonly hint?: ReactNode;
}

/** A chart of one metric over time. */
export function ChartCard(props: ChartCardProps) {
  const { metric, onMetric, words, spans, bucket, timeZone, series, before, hint } = props;
  const money = metric === 'cost';
  const show = money ? (value: number) => showUsd(decimal(value)) : showCount;
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
      <div className="mb-4 flex flex-wrap justify-between gap-2">
        <Legend series={series} />
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
        show={show}
        showTick={money ? showMoneyTick : showShort}
      />
    </Card>
  );
}

/** Converts a number back into an amount: nine places, no exponent. */
function decimal(value: number): string {
  return value.toFixed(9);
}

function showMoneyTick(value: number): string {
  if (value === 0) return '$0';
  return value >= 1_000 ? `$${showShort(value)}` : showUsd(decimal(value));
}
