'use client';

import { clsx } from 'clsx';
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { labelled, scaleFor } from './chart-scale';

const FILLS = { accent: 'fill-accent', second: 'fill-second', bad: 'fill-bad' } as const;
const DOTS = { accent: 'bg-accent', second: 'bg-second', bad: 'bg-bad' } as const;

export type Series = {
  readonly name: string;
  readonly colour: keyof typeof FILLS;
  readonly values: readonly number[];
};

type BarChartProps = {
  readonly label: string;
  /** One per bar: short below it, long in what is said about it. */
  readonly bars: readonly { readonly short: string; readonly long: string }[];
  /** Stacked, the first at the bottom. */
  readonly series: readonly Series[];
  readonly whole: boolean;
  readonly show: (value: number) => string;
  readonly showTick: (value: number) => string;
};

const LABELS = 6;

/** Stacked bars over time. Pointer and arrow keys read single bars; a table says all of it. */
export function BarChart(props: BarChartProps) {
  const { label, bars, series, whole, showTick } = props;
  const [at, setAt] = useState<number>();
  const sums = bars.map((_, bar) =>
    series.reduce((sum, { values }) => sum + (values[bar] ?? 0), 0),
  );
  const scale = scaleFor(Math.max(0, ...sums), whole);

  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(within(Math.floor(((event.clientX - box.left) / box.width) * bars.length), bars.length));
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
    setAt(within((at ?? (move > 0 ? -1 : bars.length)) + move, bars.length));
  };

  return (
    <figure className="m-0">
      <div className="flex h-56 gap-2">
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
        <div
          role="group"
          tabIndex={0}
          aria-label={`${label}. Arrow keys read single values.`}
          className="relative min-w-0 flex-1 touch-pan-y"
          onPointerMove={point}
          onPointerLeave={() => setAt(undefined)}
          onKeyDown={press}
          onBlur={() => setAt(undefined)}
        >
          <Bars sums={sums} series={series} scale={scale} at={at} />
          <Tip {...props} at={at} />
        </div>
      </div>
      <TimeLabels bars={bars} />
      <Everything {...props} />
    </figure>
  );
}

function within(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index));
}

function TimeLabels({ bars }: Pick<BarChartProps, 'bars'>) {
  const isLabelled = labelled(bars.length, LABELS);
  const isLabelledNarrow = labelled(bars.length, LABELS / 2);
  return (
    <div className="relative mt-1.5 ml-16 h-4 text-xs text-ink-faint" aria-hidden>
      {bars.map(({ short }, bar) =>
        isLabelled(bar) ? (
          <span
            // Two bars may have the same short name, an hour of two days for instance.
            key={`${String(bar)} ${short}`}
            className={clsx(
              'absolute whitespace-nowrap',
              bar > 0 && '-translate-x-1/2',
              // On a phone there is room for half of them.
              !isLabelledNarrow(bar) && 'hidden sm:inline',
            )}
            style={{ left: bar === 0 ? 0 : `${((bar + 0.5) / bars.length) * 100}%` }}
          >
            {short}
          </span>
        ) : null,
      )}
    </div>
  );
}

type BarsProps = {
  readonly sums: readonly number[];
  readonly series: readonly Series[];
  readonly scale: ReturnType<typeof scaleFor>;
  readonly at: number | undefined;
};

function Bars({ sums, series, scale, at }: BarsProps) {
  const height = (value: number): number => (value / scale.max) * 100;
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${String(Math.max(1, sums.length))} 100`}
      preserveAspectRatio="none"
      className="absolute inset-0 size-full overflow-visible"
    >
      {scale.ticks.map((tick) => (
        <line
          key={tick}
          x1="0"
          x2={sums.length}
          y1={100 - height(tick)}
          y2={100 - height(tick)}
          className={tick === 0 ? 'stroke-line-strong/60' : 'stroke-line'}
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {at !== undefined && <rect x={at} y="0" width="1" height="100" className="fill-hover" />}
      {sums.map((_, bar) => {
        let below = 0;
        return series.map(({ name, colour, values }) => {
          const value = values[bar] ?? 0;
          below += value;
          return (
            <rect
              key={`${name} ${String(bar)}`}
              x={bar + 0.16}
              width={0.68}
              y={100 - height(below)}
              height={height(value)}
              className={FILLS[colour]}
            />
          );
        });
      })}
    </svg>
  );
}

function Tip({ bars, series, at, show }: BarChartProps & { at: number | undefined }) {
  const bar = at === undefined ? undefined : bars[at];
  if (at === undefined || bar === undefined) return <div role="status" className="sr-only" />;
  const part = (at + 0.5) / bars.length;
  return (
    <div
      role="status"
      className={clsx(
        'pointer-events-none absolute top-2 z-10 rounded-md border bg-raised px-3 py-2 text-sm whitespace-nowrap shadow-raised',
        part > 0.5 ? '-translate-x-[calc(100%+10px)]' : 'translate-x-2.5',
      )}
      style={{ left: `${part * 100}%` }}
    >
      <p className="mb-1 font-medium">{bar.long}</p>
      {series.map(({ name, colour, values }) => (
        <p key={name} className="flex items-center gap-2 text-ink-soft">
          <span className={clsx('size-2 rounded-full', DOTS[colour])} aria-hidden />
          {name}
          <span className="ml-auto pl-4 text-ink tabular-nums">{show(values[at] ?? 0)}</span>
        </p>
      ))}
    </div>
  );
}

function Everything({ label, bars, series, show }: BarChartProps) {
  return (
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.map(({ long }, bar) => (
          <tr key={long}>
            <th scope="row">{long}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{show(values[bar] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the colours mean. */
export function Legend({ series }: { series: readonly Pick<Series, 'name' | 'colour'>[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {series.map(({ name, colour }) => (
        <li key={name} className="flex items-center gap-2">
          <span className={clsx('size-2 rounded-full', DOTS[colour])} aria-hidden />
          {name}
        </li>
      ))}
    </ul>
  );
}
