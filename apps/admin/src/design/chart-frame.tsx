'use client';

import { clsx } from 'clsx';
import type { ReactNode } from 'react';

import { Everything, Tip } from './chart-parts';
import { labelled, type Scale } from './chart-scale';
import type { ChartPoint, Series } from './chart-series';
import { useChartPointer, type ChartActions } from './use-chart-pointer';

// Shared parts of charts over time: scale, labels, reading values with pointer and arrow keys, and
// a hidden table of all values.

export interface ChartFrameProps extends ChartActions {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly Series[];
  readonly scale: Scale;
  readonly show: (value: number) => string;
  readonly showTick: (value: number) => string;
  /** The total below a point's values. */
  readonly sum?: ((at: number) => string) | undefined;
  /** The previous period: last in the readout, drawn as a dashed line. */
  readonly before?: Series | undefined;
  /** Said in the place of the points if all values are zero or unknown: what would be shown, and why there is nothing. */
  readonly empty: string;
  /** Draws the points in a box of width `points.length` and height 100. */
  readonly children: ReactNode;
}

const LABELS = 6;

export function ChartFrame(props: ChartFrameProps) {
  const { label, points, scale, showTick, empty, onRange, children } = props;
  const { at, marked, handlers } = useChartPointer(points.length, props);
  const keys =
    onRange === undefined
      ? 'Use the arrow keys to read single values.'
      : 'Use the arrow keys to read single values. Shift and the arrow keys mark a period, Enter shows only it.';
  return (
    <figure className="relative m-0">
      <div className="flex h-56 gap-2">
        <ValueLabels scale={scale} showTick={showTick} />
        <div
          role="group"
          tabIndex={0}
          aria-label={`${label}. ${keys}`}
          className={clsx(
            'relative min-w-0 flex-1 touch-pan-y select-none',
            onRange !== undefined && 'cursor-crosshair',
          )}
          {...handlers}
        >
          <svg
            aria-hidden
            viewBox={`0 0 ${String(Math.max(1, points.length))} 100`}
            preserveAspectRatio="none"
            className="absolute inset-0 size-full overflow-visible"
          >
            <Lines scale={scale} count={points.length} />
            {at !== undefined && (
              <rect x={at} y="0" width="1" height="100" className="fill-hover" />
            )}
            {marked !== undefined && (
              <rect
                x={marked.first}
                y="0"
                width={marked.last - marked.first + 1}
                height="100"
                className="fill-accent-soft stroke-accent"
                vectorEffect="non-scaling-stroke"
              />
            )}
            {children}
          </svg>
          {isEmpty(props.series) && (
            <p className="absolute inset-0 grid place-items-center px-4 text-center text-sm text-ink-soft">
              {empty}
            </p>
          )}
          <Tip {...props} at={at} marked={marked} />
        </div>
      </div>
      <TimeLabels points={points} />
      <Everything {...props} />
    </figure>
  );
}

function isEmpty(series: readonly Series[]): boolean {
  return series.every(({ values }) => values.every((value) => value === null || value === 0));
}

function ValueLabels({ scale, showTick }: Pick<ChartFrameProps, 'scale' | 'showTick'>) {
  return (
    <div
      className="relative w-14 shrink-0 text-right text-xs text-ink-faint tabular-nums"
      aria-hidden
    >
      {scale.ticks.map((tick) => (
        <span
          key={tick}
          className="absolute right-0 translate-y-1/2"
          style={{ bottom: `${(tick / scale.max) * 100}%` }}
        >
          {showTick(tick)}
        </span>
      ))}
    </div>
  );
}

function Lines({ scale, count }: { scale: Scale; count: number }) {
  return scale.ticks.map((tick) => {
    const y = 100 - (tick / scale.max) * 100;
    return (
      <line
        key={tick}
        x1="0"
        x2={count}
        y1={y}
        y2={y}
        className={tick === 0 ? 'stroke-line-strong/60' : 'stroke-line'}
        vectorEffect="non-scaling-stroke"
      />
    );
  });
}

function TimeLabels({ points }: Pick<ChartFrameProps, 'points'>) {
  const isLabelled = labelled(points.length, LABELS);
  const isLabelledNarrow = labelled(points.length, LABELS / 2);
  return (
    <div className="relative mt-1.5 ml-16 h-4 text-xs text-ink-faint" aria-hidden>
      {points.map(({ short }, point) =>
        isLabelled(point) ? (
          <span
            // Short labels repeat, such as an hour on two days.
            key={`${String(point)} ${short}`}
            className={clsx(
              'absolute whitespace-nowrap',
              point > 0 && '-translate-x-1/2',
              // A phone shows every other label.
              !isLabelledNarrow(point) && 'hidden sm:inline',
            )}
            style={{ left: point === 0 ? 0 : `${((point + 0.5) / points.length) * 100}%` }}
          >
            {short}
          </span>
        ) : null,
      )}
    </div>
  );
}
