import type { World } from './world';

// A proof beside the budget's scenarios, with its own figures instead of the table's columns.

export interface ProofOptions {
  /**
   * The short form of continuous integration: seconds instead of minutes, without conclusions from
   * the speed of a machine that runs other work too.
   */
  readonly short: boolean;
  readonly seed: number;
}

/** A line of the report: the subject, the figures, and the breaches. */
export interface Finding {
  readonly name: string;
  /** Each figure with its unit, in the order of the report. */
  readonly figures: Readonly<Record<string, string>>;
  readonly breaches: readonly string[];
}

export interface Proof {
  readonly name: string;
  /** The findings, as they arrive. */
  readonly run: (world: World, options: ProofOptions) => AsyncIterable<Finding>;
}

/** The smallest value that is at least as large as this share of all values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** The printed form. */
export function linesOf({ name, figures, breaches }: Finding): string {
  const told = Object.entries(figures).map(([what, value]) => `${what} ${value}`);
  const wrong = breaches.map((breach) => `  BREACH ${breach}\n`);
  return `${name}: ${told.join(', ')}\n${wrong.join('')}`;
}
