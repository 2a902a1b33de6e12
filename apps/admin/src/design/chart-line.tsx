import type { Scale } from './chart-scale';
import { dotPath, linePath } from './line-path';

interface ChartLineProps {
  readonly values: readonly (number | null)[];
  readonly scale: Scale;
  /** The colour of the stroke. */
  readonly className: string;
  readonly dashed?: boolean;
}

/** One line of a chart. A value without neighbours is a dot. */
export function ChartLine({ values, scale, className, dashed = false }: ChartLineProps) {
  return (
    <>
      <path
        d={linePath(values, scale)}
        className={`pointer-events-none fill-none ${className}`}
        strokeWidth={dashed ? 1.5 : 2}
        strokeDasharray={dashed ? '4 3' : undefined}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      <path
        d={dotPath(values, scale)}
        className={`pointer-events-none fill-none ${className}`}
        strokeWidth="8"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </>
  );
}
