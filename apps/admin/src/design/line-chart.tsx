'use client';

import { ChartFrame } from './chart-frame';
import { ChartLine } from './chart-line';
import { scaleFor } from './chart-scale';
import { STROKES, type ChartPoint, type Series } from './chart-series';
import type { ChartActions } from './use-chart-pointer';

interface LineChartProps extends Pick<ChartActions, 'onRange'> {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly Series[];
  readonly empty: string;
  readonly show: (value: number) => string;
  readonly showTick: (value: number) => string;
}

/** Lines over time, with gaps at unknown values. */
export function LineChart(props: LineChartProps) {
  const { series } = props;
  const values = series.flatMap((one) => one.values.map((value) => value ?? 0));
  const scale = scaleFor(Math.max(0, ...values), true);
  return (
    <ChartFrame {...props} scale={scale}>
      {series.map((one) => (
        <ChartLine
          key={one.name}
          values={one.values}
          scale={scale}
          className={STROKES[one.colour]}
        />
      ))}
    </ChartFrame>
  );
}
