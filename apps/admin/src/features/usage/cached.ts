import { formatUsd, parseUsd, stepAt, tokensIn, type rest } from '@tollgate/contracts';

import { priceOf } from './price-of';

// What providers' prompt caches did for usage. Pure.

type Measures = Pick<rest.UsageMeasures, 'tokens' | 'tokensIn'>;

/** The part of the input that was read from a cache, from 0 to 1; undefined without input. */
export function cachedShare({ tokens, tokensIn: whole }: Measures): number | undefined {
  return whole === 0 ? undefined : tokens.cacheRead / whole;
}

/**
 * What the cache saved a request, in US dollars: what was read from it, at the difference of the prices of
 * input and of cached input. Negative where cached input costs more; undefined if nothing was read or the
 * price is unknown.
 */
export function savedUsd({
  attempts,
  prices,
}: Pick<rest.UsageRecordDetail, 'attempts' | 'prices'>): string | undefined {
  let saved: bigint | undefined;
  for (const { priceId, tokens } of attempts) {
    const listed = prices.find(({ id }) => id === priceId);
    if (listed === undefined || tokens === null || tokens.cacheRead === 0) continue;
    const step = stepAt(priceOf(listed), tokensIn(tokens));
    const difference = BigInt(tokens.cacheRead) * (step.input - step.cacheRead);
    saved = (saved ?? 0n) + difference / 1_000_000n;
  }
  return saved === undefined ? undefined : formatUsd(saved);
}

/** Whether an amount in US dollars is less than nothing. */
export function isLoss(usd: string): boolean {
  return parseUsd(usd, { allowNegative: true }) < 0n;
}
