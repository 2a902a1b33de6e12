import type { Scale } from './chart-scale';

/** Half the width of the stroke that marks an isolated value. */
const ALONE = 0.3;

/**
 * A path through the centres of the points, in a box of width `points.length` and height 100.
 * Unknown values leave gaps; a value between two gaps becomes a short stroke.
 */
export function linePath(values: readonly (number | null)[], scale: Scale): string {
  const known = (point: number): boolean => (values[point] ?? null) !== null;
  return values
    .map((value, point) => {
      if (value === null) return '';
      const [x, y] = [point + 0.5, round(100 - (value / scale.max) * 100)];
      if (known(point - 1)) return `L${String(x)} ${y}`;
      if (known(point + 1)) return `M${String(x)} ${y}`;
      return `M${round(x - ALONE)} ${y}L${round(x + ALONE)} ${y}`;
    })
    .join('');
}

function round(value: number): string {
  return String(Number(value.toFixed(3)));
}
