'use client';

import { ChartFrame } from './chart-frame';
import { scaleFor } from './chart-scale';
import { FILLS, type ChartPoint, type Series } from './chart-series';
import { linePath } from './line-path';

export { Legend } from './chart-frame';
export type { Series } from './chart-series';

interface BarChartProps {
  readonly label: string;
  readonly bars: readonly ChartPoint[];
  /** Stacked from the bottom, in this order. */
  readonly series: readonly Series[];
  /** The previous period, drawn as a line. */
  readonly before?: Series | undefined;
  readonly whole: boolean;
  readonly show: (value: number) => string;
  readonly showTick: (value: number) => string;
}

/**
 * Stacked bars over time. Pointer and arrow keys read single bars; a hidden table has all values.
 */
export function BarChart(props: BarChartProps) {
  const { label, bars, series, before, whole, show, showTick } = props;
  const sums = bars.map((_, bar) =>
    series.reduce((sum, { values }) => sum + (values[bar] ?? 0), 0),
  );
  const earlier = before?.values.map((value) => value ?? 0) ?? [];
  const scale = scaleFor(Math.max(0, ...sums, ...earlier), whole);
  const height = (value: number): number => (value / scale.max) * 100;
  return (
    <ChartFrame
      label={label}
      points={bars}
      series={series}
      before={before}
      scale={scale}
      show={show}
      showTick={showTick}
      sum={series.length > 1 ? (at) => show(sums[at] ?? 0) : undefined}
    >
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
      {before !== undefined && (
        <path
          d={linePath(before.values, scale)}
          className="fill-none stroke-ink"
          strokeWidth="1.5"
          strokeDasharray="4 3"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </ChartFrame>
  );
}
