// What one evaluation may still cost. Schemas and answers both come from others, and together they can ask
// for more work than their sizes say. An evaluation is synchronous, so there is one budget at a time.

/** Steps of one to three microseconds; an answer of 100 KB takes about 30,000. */
const MOST_STEPS = 100_000;

export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
}

let left = 0;

export function withBudget<T>(evaluate: () => T): T {
  left = MOST_STEPS;
  return evaluate();
}

/** @throws TooMuchError */
export function charge(steps: number): void {
  left -= steps;
  if (left < 0) throw new TooMuchError('the answer takes too long to judge');
}
