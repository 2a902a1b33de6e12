import type { QuotaMetric } from '@tollgate/contracts';

/** The summed columns of records, adjustments and rollups, named as in the tables. */
export const TOKEN_COLUMNS = [
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'audio_input_tokens',
  'image_input_tokens',
  'output_tokens',
  'audio_output_tokens',
  'image_output_tokens',
  'reasoning_tokens',
] as const;
export const METRIC_COLUMNS = [
  'cost_nano_usd',
  'requests',
  'errors',
  'tokens_in',
  'tokens_out',
  'upstream_ms',
] as const;
/** What providers' caches, and routing, saved; negative where they cost. */
export const SAVING_COLUMNS = ['cache_saved_nano_usd', 'routing_saved_nano_usd'] as const;
export const AMOUNT_COLUMNS = [...TOKEN_COLUMNS, ...METRIC_COLUMNS, ...SAVING_COLUMNS] as const;
export type TokenColumn = (typeof TOKEN_COLUMNS)[number];
export type SavingColumn = (typeof SAVING_COLUMNS)[number];
export type MetricColumn = (typeof METRIC_COLUMNS)[number];
export type AmountColumn = (typeof AMOUNT_COLUMNS)[number];

/** What a record or an adjustment adds, by column. Adjustments may be negative. */
export type Amounts = Readonly<Record<AmountColumn, bigint>>;

/** A mutable accumulator of amounts. */
export type Sums = Record<AmountColumn, bigint>;

export const ZERO_AMOUNTS: Amounts = amountsOf(() => 0n);

/** The columns that sum to each metric. A budget's metric is COST. */
export const METRIC_SUMS: Readonly<Record<QuotaMetric, readonly AmountColumn[]>> = {
  REQUESTS: ['requests'],
  TOKENS: ['tokens_in', 'tokens_out'],
  TOKENS_IN: ['tokens_in'],
  TOKENS_OUT: ['tokens_out'],
  ERRORS: ['errors'],
  COST: ['cost_nano_usd'],
  LATENCY_MS: ['upstream_ms'],
};

export function amountsOf(value: (column: AmountColumn) => bigint): Sums {
  const amounts = {} as Sums;
  for (const column of AMOUNT_COLUMNS) amounts[column] = value(column);
  return amounts;
}

export function addTo(sums: Sums, amounts: Amounts): void {
  for (const column of AMOUNT_COLUMNS) sums[column] += amounts[column];
}

export function minus(a: Amounts, b: Amounts): Amounts {
  return amountsOf((column) => a[column] - b[column]);
}

export function plus(a: Amounts, b: Amounts): Amounts {
  return amountsOf((column) => a[column] + b[column]);
}

export function isZero(amounts: Amounts): boolean {
  return AMOUNT_COLUMNS.every((column) => amounts[column] === 0n);
}

/** How much these amounts add to a limit of this metric. */
export function amountOf(metric: QuotaMetric, amounts: Amounts): bigint {
  return METRIC_SUMS[metric].reduce((sum, column) => sum + amounts[column], 0n);
}
