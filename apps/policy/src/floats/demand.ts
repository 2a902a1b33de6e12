// What was asked for lately, in slices of time.

const SLICES = 15;

export interface Demand {
  add(nowMs: number, amount: bigint): void;
  /** Of the last `spanMs`. */
  requests(nowMs: number): number;
  amount(nowMs: number): bigint;
}

export function createDemand(spanMs: number): Demand {
  const sliceMs = spanMs / SLICES;
  const counts = Array.from({ length: SLICES }, () => 0);
  const amounts = Array.from({ length: SLICES }, () => 0n);
  let last = Number.NEGATIVE_INFINITY;

  const moveTo = (nowMs: number): number => {
    const slice = Math.floor(nowMs / sliceMs);
    const from = Math.max(last + 1, slice - SLICES + 1);
    for (let passed = from; passed <= slice; passed += 1) {
      counts[passed % SLICES] = 0;
      amounts[passed % SLICES] = 0n;
    }
    last = Math.max(last, slice);
    return last % SLICES;
  };
  return {
    add(nowMs, amount) {
      const at = moveTo(nowMs);
      counts[at] = (counts[at] ?? 0) + 1;
      amounts[at] = (amounts[at] ?? 0n) + amount;
    },
    requests(nowMs) {
      moveTo(nowMs);
      return counts.reduce((sum, count) => sum + count, 0);
    },
    amount(nowMs) {
      moveTo(nowMs);
      return amounts.reduce((sum, amount) => sum + amount, 0n);
    },
  };
}
