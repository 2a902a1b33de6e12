// Money is an integer number of nano-USD, and decimal USD text outside. Never a float.

/** A billionth of a US dollar. */
export type NanoUsd = bigint;

/** The largest limit: counters compare amounts as doubles, exact up to here. */
export const MAX_NANO_USD = 9_000_000_000_000_000n;

const NANO_PER_USD = 1_000_000_000n;

export interface ParseUsdOptions {
  /** Only corrections may be negative. */
  readonly allowNegative?: boolean;
}

/** "12.50" → 12_500_000_000n. A RangeError says what is wrong. */
export function parseUsd(text: string, options: ParseUsdOptions = {}): NanoUsd {
  const match = /^(-?)(\d{1,16})(?:\.(\d+))?$/.exec(text);
  if (match === null) {
    throw new RangeError('an amount is written in digits, like "12.50"');
  }
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.length > 9) {
    throw new RangeError('an amount has at most nine decimal places');
  }
  const amount = BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(9, '0'));
  if (amount > MAX_NANO_USD) {
    throw new RangeError(`an amount is at most ${formatUsd(MAX_NANO_USD)}`);
  }
  if (sign === '') return amount;
  if (options.allowNegative !== true) {
    throw new RangeError('an amount is not negative');
  }
  return -amount;
}

/** 12_500_000_000n → "12.50": at least two decimals, no trailing zeros beyond them. */
export function formatUsd(amount: NanoUsd): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % NANO_PER_USD)
    .toString()
    .padStart(9, '0')
    .replace(/0{1,7}$/, '');
  return `${amount < 0n ? '-' : ''}${size / NANO_PER_USD}.${fraction}`;
}
