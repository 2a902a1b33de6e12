'use client';

import { ChartFrame } from './chart-frame';
import { scaleFor } from './chart-scale';
import { STROKES, type ChartPoint, type Series } from './chart-series';
import { linePath } from './line-path';

interface LineChartProps {
  readonly label: string;
  readonly points: readonly ChartPoint[];
  readonly series: readonly Series[];
  readonly show: (value: number) => string;
  readonly showTick: (value: number) => string;
}

/** Lines over time, with gaps at unknown values. */
export function LineChart({ label, points, series, show, showTick }: LineChartProps) {
  const values = series.flatMap((one) => one.values.map((value) => value ?? 0));
  const scale = scaleFor(Math.max(0, ...values), true);
  return (
    <ChartFrame
      label={label}
      points={points}
      series={series}
      scale={scale}
      show={show}
      showTick={showTick}
    >
      {series.map((one) => (
        <path
          key={one.name}
          d={linePath(one.values, scale)}
          className={`fill-none ${STROKES[one.colour]}`}
          strokeWidth="2"
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </ChartFrame>
  );
}
