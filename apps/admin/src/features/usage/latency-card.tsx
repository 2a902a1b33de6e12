'use client';

import type { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { Card } from '../../design/card';
import { Legend } from '../../design/chart-parts';
import { Failure } from '../../design/failure';
import { LineChart } from '../../design/line-chart';
import { Segmented } from '../../design/segmented';
import { Skeleton } from '../../design/skeleton';
import { plural, showDuration } from '../../format/numbers';
import { pointsOf } from './chart-card';
import { bucketsBetween, spanOfBuckets, type Span } from './range';
import { latencySeries, type LatencyKind } from './series';

const KINDS = [
  { value: 'latencyMs', label: 'Whole answer' },
  { value: 'firstTokenMs', label: 'First token' },
] as const satisfies readonly { value: LatencyKind; label: string }[];

interface LatencyCardProps {
  readonly data: rest.UsageExploration | undefined;
  readonly error: Error | null;
  readonly onRetry: () => void;
  /** Shows only a period that was marked, of whole buckets. */
  readonly onRange?: ((span: Span, bucket: rest.ExplorerBucket) => void) | undefined;
}

/** Latency percentiles over time. */
export function LatencyCard({ data, error, onRetry, onRange }: LatencyCardProps) {
  const [kind, setKind] = useState<LatencyKind>('latencyMs');
  const measured = data?.totals[kind]?.count ?? 0;
  return (
    <Card
      title="Latency"
      hint={
        measured > 0
          ? `of ${plural(measured, kind === 'latencyMs' ? 'request' : 'stream')}`
          : undefined
      }
      action={<Segmented label="Metric" options={KINDS} value={kind} onChange={setKind} />}
    >
      {error !== null && <Failure error={error} onRetry={onRetry} />}
      {error === null && data === undefined && (
        <div role="status" aria-label="Loading latency">
          <Skeleton className="h-64" />
        </div>
      )}
      {data !== undefined && measured === 0 && (
        <p className="text-ink-soft">
          {kind === 'latencyMs'
            ? 'No requests in this period. The chart shows the latency of whole answers.'
            : 'No streamed responses in this period. The chart shows the time to the first token.'}
        </p>
      )}
      {data !== undefined && measured > 0 && <Chart kind={kind} data={data} onRange={onRange} />}
    </Card>
  );
}

interface ChartProps extends Pick<LatencyCardProps, 'onRange'> {
  readonly kind: LatencyKind;
  readonly data: rest.UsageExploration;
}

function Chart({ kind, data, onRange }: ChartProps) {
  const { from, to, timeZone } = data;
  const bucket = data.bucket ?? 'day';
  const span = { startMs: Date.parse(from), endMs: Date.parse(to) };
  const spans = bucketsBetween(span, bucket, timeZone);
  const series = latencySeries(kind, spans, data.series);
  return (
    <>
      <div className="mb-4">
        <Legend series={series} />
      </div>
      <LineChart
        label={`Latency by ${bucket}`}
        points={pointsOf(spans, bucket, timeZone)}
        series={series}
        empty="No latency is known in this period."
        onRange={onRange && ((first, last) => onRange(spanOfBuckets(spans, first, last), bucket))}
        show={showDuration}
        showTick={showTick}
      />
    </>
  );
}

function showTick(ms: number): string {
  if (ms < 1_000) return `${String(ms)} ms`;
  return ms < 60_000 ? `${String(ms / 1_000)} s` : showDuration(ms);
}
