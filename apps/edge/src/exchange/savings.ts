import {
  costNanoUsd,
  MAX_NANO_USD,
  priceInTier,
  unitNanoUsd,
  usedCaches,
  withoutCaches,
  type Price,
} from '@tollgate/contracts';
import type { Allow__Output, Candidate__Output } from '@tollgate/contracts/node';

import type { Charge, Exchange } from './exchange';
import { priceOf } from './known-prices';

// What a charge would have been without a provider's caches, and without routing. Pure. Both are decimal
// nano-USD for the record, because prices change later; empty: there is nothing to compare, or it is unknown.

type WirePrice = Candidate__Output['price'];

/** The charge at the same price if the provider had cached nothing. */
export function uncachedCost(price: WirePrice, charge: Charge): string {
  const { serviceTier, usage, units } = charge;
  if (!price || !usedCaches(usage)) return '';
  const own = priceInTier(priceOf(price), serviceTier);
  if (!followsFrom(own, charge)) return '';
  return bounded(costNanoUsd(own, withoutCaches(usage), units));
}

/** The answer's charge at the price of the model that would have answered without routing. */
export function firstChoiceCost({
  allow,
  answer,
  cache,
  ending,
}: Pick<Exchange, 'allow' | 'answer' | 'cache' | 'ending'>): string {
  const { candidate } = ending;
  if (!allow || !answer || !candidate || cache?.result === 'HIT') return '';
  return chargeAtFirstChoice(allow, candidate, ending);
}

/** The same of a charge at this candidate. */
export function chargeAtFirstChoice(
  allow: Pick<Allow__Output, 'candidates' | 'routing'>,
  { modelId, price }: Candidate__Output,
  charge: Charge,
): string {
  const { routing } = allow;
  if (!routing?.firstModelId || charge.quality === 'UNKNOWN') return '';
  if (routing.firstModelId === modelId) return charge.costNanoUsd.toString();
  const first =
    allow.candidates.find((one) => one.modelId === routing.firstModelId)?.price ??
    routing.firstPrice;
  if (!first || !price) return '';
  const inTier = (wire: NonNullable<WirePrice>): Price =>
    priceInTier(priceOf(wire), charge.serviceTier);
  const [own, other] = [inTier(price), inTier(first)];
  // What was not charged by tokens, such as counting them, is free at every model.
  if (!followsFrom(own, charge)) return charge.costNanoUsd === 0n ? '0' : '';
  if (lacksUnit(other, own, charge)) return '';
  return bounded(costNanoUsd(other, charge.usage, charge.units));
}

function followsFrom(price: Price, { costNanoUsd: cost, usage, units }: Charge): boolean {
  return costNanoUsd(price, usage, units) === cost;
}

/** Whether a unit costs something at the model that answered, and has no price at the other one. */
function lacksUnit(other: Price, own: Price, { units }: Charge): boolean {
  return Object.keys(units).some(
    (unit) => unitNanoUsd(own, unit) > 0n && unitNanoUsd(other, unit) === 0n,
  );
}

function bounded(cost: bigint): string {
  return (cost < MAX_NANO_USD ? cost : MAX_NANO_USD).toString();
}
