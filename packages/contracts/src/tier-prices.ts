// What a processing tier does to a price. Only token prices change: requests and units cost the same in every tier.
import { TOKEN_CLASSES, type Price, type PriceStep } from './prices';
import { isServiceTier, SERVICE_TIERS, tierNames } from './service-tiers';

/** The price of an answer in these tiers, such as `fast, us`: percentages of several tiers multiply. */
export function priceInTier(price: Price, tiers: string): Price {
  return tiers === '' ? price : scaled(price, tiers, 0n);
}

/**
 * The price to hold a request at that asks for these tiers. The provider may fall back to standard processing, so no
 * percentage below 100 counts.
 */
export function heldPrice(price: Price, tiers: string): Price {
  return tiers === '' ? price : scaled(price, tiers, WHOLE);
}

/** The first of these tiers that may cost more than standard processing, and for which the price has no percentage. */
export function unpricedTier({ tierPercent = {} }: Price, tiers: string): string | undefined {
  return tierNames(tiers).find(
    (name) =>
      tierPercent[name] === undefined && (!isServiceTier(name) || SERVICE_TIERS[name].dearer),
  );
}

/** 100 percent in hundredths. */
const WHOLE = 10_000n;

function scaled(price: Price, tiers: string, least: bigint): Price {
  let [numerator, denominator] = [1n, 1n];
  for (const name of tierNames(tiers)) {
    const percent = price.tierPercent?.[name];
    if (percent === undefined) continue;
    const hundredths = BigInt(Math.round(percent * 100));
    numerator *= hundredths > least ? hundredths : least;
    denominator *= WHOLE;
  }
  if (numerator === denominator) return price;
  const [first, ...rest] = price.steps;
  const scale = (step: PriceStep): PriceStep => {
    const next = { ...step };
    for (const name of TOKEN_CLASSES) {
      next[name] = (step[name] * numerator + denominator - 1n) / denominator;
    }
    return next;
  };
  return { ...price, steps: [scale(first), ...rest.map(scale)] };
}
