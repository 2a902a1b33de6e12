import { formatUsd, parseUsd } from '@tollgate/contracts';

// Amounts are decimal strings with up to nine places. A non-zero amount is never shown as zero.

const CENT = 10_000_000n;
const GROUPS = /\B(?=(\d{3})+$)/g;

/** "1234.5" → "$1,234.50", "0.000014" → "$0.000014", "0.0123456" → "$0.0123". */
export function showUsd(amount: string): string {
  const nano = parseUsd(amount, { allowNegative: true });
  const size = nano < 0n ? -nano : nano;
  const [whole = '0', fraction = '00'] = formatUsd(rounded(size)).split('.');
  return `${nano < 0n ? '−' : ''}$${whole.replace(GROUPS, ',')}.${fraction}`;
}

const MICRO = 1_000n;

/**
 * The cost of single requests in a column: six places below a dollar, cents from there on. Less
 * than a millionth keeps all its places.
 */
export function showCost(amount: string): string {
  const nano = parseUsd(amount, { allowNegative: true });
  const size = nano < 0n ? -nano : nano;
  const shown = roundTo(size, MICRO);
  if (size === 0n || size >= 100n * CENT || shown === 0n) return showUsd(amount);
  const places = (shown / MICRO).toString().padStart(6, '0');
  return shown >= 100n * CENT ? showUsd(formatUsd(shown)) : `${nano < 0n ? '−' : ''}$0.${places}`;
}

// Rounds to cents from one dollar, below that to four places, and to three significant digits for
// smaller amounts.
function rounded(nano: bigint): bigint {
  if (nano >= 100n * CENT) return roundTo(nano, CENT);
  if (nano >= CENT) return roundTo(nano, CENT / 100n);
  const digits = nano.toString().length;
  return digits <= 3 ? nano : roundTo(nano, 10n ** BigInt(digits - 3));
}

function roundTo(nano: bigint, step: bigint): bigint {
  return ((nano + step / 2n) / step) * step;
}

export function sumUsd(amounts: readonly string[]): string {
  const nano = amounts.reduce((sum, text) => sum + parseUsd(text, { allowNegative: true }), 0n);
  return formatUsd(nano);
}

/** For the length of bars only. Sums and comparisons stay exact. */
export function usdAsNumber(amount: string): number {
  return Number(amount);
}
