import { clsx } from 'clsx';

import type { ChartFrameProps } from './chart-frame';
import { Dot, type Series } from './chart-series';

// What stands around a chart: the readout of one point, the hidden table of all values, the legend.

type TipProps = ChartFrameProps & {
  readonly at: number | undefined;
  readonly marked: { readonly first: number; readonly last: number } | undefined;
};

export function Tip({ points, series, at, marked, show, sum, before }: TipProps) {
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
      {marked !== undefined && (
        <p className="mb-1 font-medium text-accent">
          {points[marked.first]?.long} to {points[marked.last]?.long}
        </p>
      )}
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
          Total
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

export function Everything({ label, points, series, before, show }: ChartFrameProps) {
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

interface LegendProps {
  readonly series: readonly Pick<Series, 'name' | 'colour' | 'key'>[];
  /** Makes the entries buttons, for series that have a key: what a click on their part of a bar does. */
  readonly onPick?: ((key: string) => void) | undefined;
}

export function Legend({ series, onPick }: LegendProps) {
  return (
    <ul className="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {series.map(({ name, colour, key }) => (
        <li key={name} className="flex min-w-0 items-center gap-2">
          <Dot colour={colour} />
          {onPick === undefined || key === undefined ? (
            <span className="truncate">{name}</span>
          ) : (
            <button
              type="button"
              aria-label={`Filter by ${name}`}
              onClick={() => onPick(key)}
              className="min-w-0 truncate rounded-sm underline-offset-4 hover:text-ink hover:underline"
            >
              {name}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
