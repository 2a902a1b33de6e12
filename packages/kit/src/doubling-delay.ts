/**
 * How long to wait after a number of failures, in milliseconds: `firstMs` after the first one,
 * doubled after each further one, at most `mostMs`.
 */
export function doublingDelay(firstMs: number, mostMs: number): (failures: number) => number {
  return (failures) => Math.min(firstMs * 2 ** (failures - 1), mostMs);
}
