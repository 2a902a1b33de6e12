import { RATE_BUCKET_MS, RATE_BUCKETS } from '../../scripts/prelude';
import { lentOf } from './lent';
import type { ShardModel } from './state';

// Rates in the model: an amount for each request, at the instant in whose bucket it is.

const bucketOf = (ms: number): number => Math.floor(ms / RATE_BUCKET_MS);

/** Whether the minute that ends now includes an instant. */
export function counts({ now }: ShardModel, at: number): boolean {
  return bucketOf(at) > bucketOf(now) - RATE_BUCKETS;
}

export function rateOf({ data }: ShardModel, limitId: string) {
  const found = data.rates.get(limitId) ?? new Map<string, { at: number; amount: bigint }>();
  data.rates.set(limitId, found);
  return found;
}

export function rateSum(model: ShardModel, limitId: string): bigint {
  let sum = 0n;
  for (const { at, amount } of rateOf(model, limitId).values())
    if (counts(model, at)) sum += amount;
  return sum;
}

/** What is compared with the limit: the minute, and what floats have. */
export const rateUse = (model: ShardModel, limitId: string): bigint =>
  rateSum(model, limitId) + lentOf(model.data, limitId, 0, 0);
