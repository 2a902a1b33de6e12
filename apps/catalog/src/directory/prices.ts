import { percentToWire, type TierPercent } from '@tollgate/contracts';
import type { Price } from '@tollgate/contracts/node';

import type { StoredPriceStep } from '../entities/price.entity';

/** Prices as decisions about keys need them. */

export interface StoredPrice {
  id: string;
  effective_from_ms: number;
  steps: StoredPriceStep[];
  per_request: string;
  per_unit: Record<string, string>;
  tier_percent: TierPercent;
}

export function priceOf(price: StoredPrice): Price {
  return {
    priceId: price.id,
    effectiveFromMs: price.effective_from_ms,
    steps: price.steps.map((step) => ({
      fromInputTokens: step.fromInputTokens,
      input: step.input,
      cacheRead: step.cacheRead,
      cacheWrite5m: step.cacheWrite5m,
      cacheWrite1h: step.cacheWrite1h,
      audioInput: step.audioInput,
      ...(step.imageInput === undefined ? {} : { imageInput: step.imageInput }),
      output: step.output,
      audioOutput: step.audioOutput,
      ...(step.imageOutput === undefined ? {} : { imageOutput: step.imageOutput }),
    })),
    perRequestNanoUsd: price.per_request,
    perUnitNanoUsd: price.per_unit,
    tierPercent: percentToWire(price.tier_percent),
  };
}
