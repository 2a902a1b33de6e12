import { parseUsd, type Price, type PriceStep, type rest } from '@tollgate/contracts';

/** A price of the management API in nano-USD, as costs are computed. */
export function priceOf({ id, effectiveFrom, ...price }: rest.Price): Price {
  const [first, ...others] = price.steps.map(({ fromInputTokens, ...classes }): PriceStep => ({
    fromInputTokens,
    input: parseUsd(classes.input),
    cacheRead: parseUsd(classes.cacheRead),
    cacheWrite5m: parseUsd(classes.cacheWrite5m),
    cacheWrite1h: parseUsd(classes.cacheWrite1h),
    audioInput: parseUsd(classes.audioInput),
    imageInput: parseUsd(classes.imageInput),
    output: parseUsd(classes.output),
    audioOutput: parseUsd(classes.audioOutput),
    imageOutput: parseUsd(classes.imageOutput),
  }));
  if (first === undefined) throw new RangeError(`price ${id} has no step`);
  return {
    priceId: id,
    effectiveFromMs: Date.parse(effectiveFrom),
    steps: [first, ...others],
    perRequestNanoUsd: parseUsd(price.perRequestUsd),
    perUnitNanoUsd: Object.fromEntries(
      Object.entries(price.perUnitUsd).map(([unit, usd]) => [unit, parseUsd(usd)]),
    ),
    tierPercent: price.tierPercent,
  };
}
