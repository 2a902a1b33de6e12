'use client';

import { clsx } from 'clsx';
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';

import { labelled, type Scale } from './chart-scale';
import { Dot, type ChartPoint, type Series } from './chart-series';

// Shared parts of charts over time: scale, labels, reading values with pointer and arrow keys, and
// a hidden table of all values.

interface ChartFrameProps {
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
  /** Draws the points in a box of width `points.length` and height 100. */
  readonly children: ReactNode;
}

const LABELS = 6;

export function ChartFrame(props: ChartFrameProps) {
  const { label, points, scale, showTick, children } = props;
  const [at, setAt] = useState<number>();

  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    setAt(within(Math.floor(part * points.length), points.length));
  };
  const press = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -Infinity,
      End: Infinity,
    };
    const move = moves[event.key];
    if (event.key === 'Escape') setAt(undefined);
    if (move === undefined) return;
    event.preventDefault();
    setAt(within((at ?? (move > 0 ? -1 : points.length)) + move, points.length));
  };

  return (
    <figure className="relative m-0">
      <div className="flex h-56 gap-2">
        <ValueLabels scale={scale} showTick={showTick} />
        <div
          role="group"
          tabIndex={0}
          aria-label={`${label}. Use the arrow keys to read single values.`}
          className="relative min-w-0 flex-1 touch-pan-y"
          onPointerMove={point}
          onPointerLeave={() => setAt(undefined)}
          onKeyDown={press}
          onBlur={() => setAt(undefined)}
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
            {children}
          </svg>
          {isEmpty(props.series) && (
            <p
              className="absolute inset-0 grid place-items-center text-sm text-ink-faint"
              aria-hidden
            >
              No data in this period
            </p>
          )}
          <Tip {...props} at={at} />
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

function within(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index));
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

type TipProps = ChartFrameProps & { readonly at: number | undefined };

function Tip({ points, series, at, show, sum, before }: TipProps) {
  const point = at === undefined ? undefined : points[at];
  if (at === undefined || point === undefined) return <div role="status" className="sr-only" />;
  const part = (at + 0.5) / points.length;
  return (
    <div
      role="status"
      className={clsx(
        'pointer-events-none absolute top-2 z-10 rounded-md border bg-raised px-3 py-2 text-sm whitespace-nowrap shadow-raised',
        part > 0.5 ? '-translate-x-[calc(100%+10px)]' : 'translate-x-2.5',
      )}
      style={{ left: `${part * 100}%` }}
    >
      <p className="mb-1 font-medium">{point.long}</p>
      {series.map(({ name, colour, values }) => (
        <p key={name} className="flex items-center gap-2 text-ink-soft">
          <Dot colour={colour} />
          <span className="max-w-40 truncate">{name}</span>
          <span className="ml-auto pl-4 text-ink tabular-nums">{shown(values[at], show)}</span>
        </p>
      ))}
      {sum !== undefined && (
        <p className="mt-1 flex border-t pt-1 text-ink-soft">
          Together
          <span className="ml-auto pl-4 font-medium text-ink tabular-nums">{sum(at)}</span>
        </p>
      )}
      {before !== undefined && (
        <p className="flex items-center gap-2 text-ink-soft">
          <span className="w-2 border-t-2 border-dashed border-ink" aria-hidden />
          {before.name}
          <span className="ml-auto pl-4 text-ink tabular-nums">
            {shown(before.values[at], show)}
          </span>
        </p>
      )}
    </div>
  );
}

function shown(value: number | null | undefined, show: (value: number) => string): string {
  return value === null || value === undefined ? '—' : show(value);
}

function Everything({ label, points, series, before, show }: ChartFrameProps) {
  const columns = before === undefined ? series : [...series, before];
  return (
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {columns.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.map(({ long }, point) => (
          // Labels repeat when clocks go back.
          <tr key={`${String(point)} ${long}`}>
            <th scope="row">{long}</th>
            {columns.map(({ name, values }) => (
              <td key={name}>{shown(values[point], show)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Legend({ series }: { series: readonly Pick<Series, 'name' | 'colour'>[] }) {
  return (
    <ul className="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {series.map(({ name, colour }) => (
        <li key={name} className="flex min-w-0 items-center gap-2">
          <Dot colour={colour} />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  );
}
