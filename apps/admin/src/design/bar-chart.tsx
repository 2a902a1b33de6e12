'use client';

import { ChartFrame } from './chart-frame';
import { ChartLine } from './chart-line';
import { scaleFor } from './chart-scale';
import { FILLS, type ChartPoint, type Series } from './chart-series';
import type { ChartActions } from './use-chart-pointer';

export { Legend } from './chart-parts';
export type { Series } from './chart-series';

interface BarChartProps extends ChartActions {
  readonly label: string;
  readonly bars: readonly ChartPoint[];
  /** Stacked from the bottom, in this order. */
  readonly series: readonly Series[];
  /** The previous period, drawn as a line. */
  readonly before?: Series | undefined;
  readonly whole: boolean;
  readonly empty: string;
  readonly show: (value: number) => string;
  readonly showTick: (value: number) => string;
}

/** The part of its place that a bar fills. */
const FILLED = 0.68;
/** Fewer bars are as wide as those of so many: a single bar that fills the chart looks like a background. */
const FEWEST = 8;

/**
 * Stacked bars over time. Pointer and arrow keys read single bars; a hidden table has all values.
 */
export function BarChart(props: BarChartProps) {
  const { bars, series, before, whole, show, ...frame } = props;
  const sums = bars.map((_, bar) =>
    series.reduce((sum, { values }) => sum + (values[bar] ?? 0), 0),
  );
  const earlier = before?.values.map((value) => value ?? 0) ?? [];
  const scale = scaleFor(Math.max(0, ...sums, ...earlier), whole);
  const height = (value: number): number => (value / scale.max) * 100;
  const width = FILLED * Math.min(1, bars.length / FEWEST);
  return (
    <ChartFrame
      {...frame}
      points={bars}
      series={series}
      before={before}
      scale={scale}
      show={show}
      sum={series.length > 1 ? (at) => show(sums[at] ?? 0) : undefined}
    >
      {sums.map((_, bar) => {
        let below = 0;
        return series.map(({ name, colour, values, key }) => {
          const value = values[bar] ?? 0;
          below += value;
          return (
            <rect
              key={`${name} ${String(bar)}`}
              data-key={key}
              x={bar + (1 - width) / 2}
              width={width}
              y={100 - height(below)}
              height={height(value)}
              className={FILLS[colour]}
            />
          );
        });
      })}
      {before !== undefined && (
        <ChartLine values={before.values} scale={scale} className="stroke-ink" dashed />
      )}
    </ChartFrame>
  );
}
