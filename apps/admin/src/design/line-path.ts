import type { Scale } from './chart-scale';

/**
 * A path through the centres of the points, in a box of width `points.length` and height 100.
 * Unknown values leave gaps; a value between two gaps has no line (see `dotPath`).
 */
export function linePath(values: readonly (number | null)[], scale: Scale): string {
  const known = (point: number): boolean => (values[point] ?? null) !== null;
  return values
    .map((value, point) => {
      if (value === null) return '';
      const [x, y] = [point + 0.5, round(100 - (value / scale.max) * 100)];
      if (known(point - 1)) return `L${String(x)} ${y}`;
      if (known(point + 1)) return `M${String(x)} ${y}`;
      return '';
    })
    .join('');
}

/** Values without a neighbour, as strokes so short that round caps make them dots. A single value is visible that way. */
export function dotPath(values: readonly (number | null)[], scale: Scale): string {
  const known = (point: number): boolean => (values[point] ?? null) !== null;
  return values
    .map((value, point) => {
      if (value === null || known(point - 1) || known(point + 1)) return '';
      return `M${String(point + 0.5)} ${round(100 - (value / scale.max) * 100)}h0.0001`;
    })
    .join('');
}

function round(value: number): string {
  return String(Number(value.toFixed(3)));
}
