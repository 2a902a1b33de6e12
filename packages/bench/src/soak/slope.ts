/** A straight line through points, by least squares. */
export interface Slope {
  /** Change of y per unit of x. */
  readonly perUnit: number;
  /** Half the width of its 95 % confidence interval. */
  readonly halfWidth: number;
}

/**
 * Two-sided 95 % of Student's t by degrees of freedom; beyond the list that of the normal
 * distribution.
 */
const T_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];
const T_NORMAL = 1.96;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Throws a RangeError for fewer than three points: two always lie on a line. */
export function slopeOf(points: readonly Point[]): Slope {
  const n = points.length;
  if (n < 3) throw new RangeError(`a slope needs three points, not ${String(n)}`);
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / n;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  if (spread === 0) throw new RangeError('a slope needs points at different places');
  const perUnit = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const missed = points.reduce(
    (sum, point) => sum + (point.y - y - perUnit * (point.x - x)) ** 2,
    0,
  );
  const error = Math.sqrt(missed / (n - 2) / spread);
  return { perUnit, halfWidth: (T_95[n - 3] ?? T_NORMAL) * error };
}

/** Whether growth is shown: the whole interval is above the allowed growth. */
export function grows({ perUnit, halfWidth }: Slope, allowed: number): boolean {
  return perUnit - halfWidth > allowed;
}
