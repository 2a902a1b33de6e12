import { formatUsd, parseUsd } from '@tollgate/contracts';

import { keepLatest } from './locale';
import { showShort, trueMinus } from './numbers';

// Amounts are decimal strings with up to nine places. A non-zero amount is never shown as zero.

const CENT = 10_000_000n;

const formatter = keepLatest((locale, places) => {
  const form = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: Number(places),
    maximumFractionDigits: Number(places),
    numberingSystem: 'latn',
  } as const;
  const usual = new Intl.NumberFormat(locale, form);
  const symbol = usual.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? '';
  // Some languages write the name of the currency in their own letters.
  return /^[A-Z$]*$/.test(symbol)
    ? usual
    : new Intl.NumberFormat(locale, { ...form, currencyDisplay: 'narrowSymbol' });
});

/** All decimal places: invoices and sums that must add up are exact. */
export function showExactUsd(amount: string): string {
  const exact = formatUsd(parseUsd(amount, { allowNegative: true }));
  const places = String(exact.split('.')[1]?.length ?? 0);
  // As text: a number has no room for sixteen digits.
  return trueMinus(formatter(places).format(exact as `${number}`));
}

/** "1234.5" → "$1,234.50", "0.000014" → "$0.000014", "0.0123456" → "$0.0123". */
export function showUsd(amount: string): string {
  const nano = parseUsd(amount, { allowNegative: true });
  return showExactUsd(formatUsd(nano < 0n ? -rounded(-nano) : rounded(nano)));
}

/** A mark of a chart's axis: "$0", "$12.50", "$1.2K". */
export function showUsdTick(value: number): string {
  if (value !== 0 && value < 1_000) return showUsd(value.toFixed(9));
  const parts = formatter('0').formatToParts(0);
  return parts
    .map(({ type, value: text }) => (type === 'integer' ? showShort(value) : text))
    .join('');
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
  if (shown >= 100n * CENT) return showUsd(formatUsd(nano < 0n ? -shown : shown));
  return trueMinus(formatter('6').format(formatUsd(nano < 0n ? -shown : shown) as `${number}`));
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
