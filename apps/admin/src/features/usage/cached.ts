import {
  costNanoUsd,
  formatUsd,
  parseUsd,
  priceInTier,
  usedCaches,
  withoutCaches,
  type rest,
} from '@tollgate/contracts';

import { priceOf } from './price-of';

// What providers' prompt caches did for usage. Pure.

type Measures = Pick<rest.UsageMeasures, 'tokens' | 'tokensIn'>;

/** The part of the input that was read from a cache, from 0 to 1; undefined without input. */
export function cachedShare({ tokens, tokensIn: whole }: Measures): number | undefined {
  return whole === 0 ? undefined : tokens.cacheRead / whole;
}

/**
 * What the providers' caches saved a request, in US dollars: its tokens as plain input, less its cost. Negative if
 * writing to the caches cost more; undefined if they were not used or the price is unknown. Records of earlier
 * releases do not have it, so it is computed from their prices.
 */
export function savedUsd({
  attempts,
  prices,
}: Pick<rest.UsageRecordDetail, 'attempts' | 'prices'>): string | undefined {
  let saved: bigint | undefined;
  for (const { costUsd, priceId, serviceTier, tokens, uncachedCostUsd } of attempts) {
    if (uncachedCostUsd !== null) {
      saved = (saved ?? 0n) + parseUsd(uncachedCostUsd) - parseUsd(costUsd);
      continue;
    }
    const listed = prices.find(({ id }) => id === priceId);
    if (listed === undefined || tokens === null || !usedCaches(tokens)) continue;
    const price = priceInTier(priceOf(listed), serviceTier ?? '');
    const difference = costNanoUsd(price, withoutCaches(tokens)) - costNanoUsd(price, tokens);
    saved = (saved ?? 0n) + difference;
  }
  return saved === undefined ? undefined : formatUsd(saved);
}

/** Whether an amount in US dollars is less than nothing. */
export function isLoss(usd: string): boolean {
  return parseUsd(usd, { allowNegative: true }) < 0n;
}
