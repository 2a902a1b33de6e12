import type { World } from './world';

// What is proved beside the budget's scenarios, with figures of its own instead of the table's columns.

export interface ProofOptions {
  /**
   * The form of continuous integration: seconds instead of minutes, and nothing is concluded from how
   * fast a machine is that does other things as well.
   */
  readonly short: boolean;
  readonly seed: number;
}

/** A line of the report: what was looked at, what came out, and what of it must not be. */
export interface Finding {
  readonly name: string;
  /** Each with its unit, in the order of the report. */
  readonly figures: Readonly<Record<string, string>>;
  readonly breaches: readonly string[];
}

export interface Proof {
  readonly name: string;
  /** One after another, as they are found. */
  readonly run: (world: World, options: ProofOptions) => AsyncIterable<Finding>;
}

/** The smallest value that is at least as large as this share of all of them. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** As it is printed. */
export function linesOf({ name, figures, breaches }: Finding): string {
  const told = Object.entries(figures).map(([what, value]) => `${what} ${value}`);
  const wrong = breaches.map((breach) => `  BREACH ${breach}\n`);
  return `${name}: ${told.join(', ')}\n${wrong.join('')}`;
}
