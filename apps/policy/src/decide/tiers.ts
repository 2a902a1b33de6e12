import { heldPrice, tiersText, unpricedTier } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, ServiceTier__Output } from '@tollgate/contracts/node';

import type { ModelPlan, PlannedPrice } from '../directory';

// Processing tiers, such as priority and flex, which providers charge at another price.

/** The tiers that this model's provider is asked for, as in a record; empty: standard processing. */
export function tiersAsked(request: AuthorizeRequest__Output, model: ModelPlan): string {
  if (request.serviceTiers.length === 0) return '';
  return tiersText(askedOf(request, model).map(({ name }) => name));
}

/** The price to hold the request at. */
export function priceToHold(
  planned: PlannedPrice | undefined,
  request: AuthorizeRequest__Output,
  model: ModelPlan,
): PlannedPrice | undefined {
  const tiers = tiersAsked(request, model);
  if (planned === undefined || tiers === '') return planned;
  return { ...planned, price: heldPrice(planned.price, tiers) };
}

/** The first tier that may cost more than standard processing, and that a hard limit of money could not hold. */
export function tierWithoutPrice(
  request: AuthorizeRequest__Output,
  model: ModelPlan,
  planned: PlannedPrice | undefined,
): ServiceTier__Output | undefined {
  if (request.serviceTiers.length === 0 || planned === undefined) return undefined;
  if (!model.limits.some(({ metric, mode }) => metric === 'COST' && mode === 'HARD')) {
    return undefined;
  }
  return askedOf(request, model).find(({ name }) => unpricedTier(planned.price, name));
}

function askedOf({ serviceTiers }: AuthorizeRequest__Output, { entry }: ModelPlan) {
  return serviceTiers.filter(
    ({ upstreams }) => upstreams.length === 0 || upstreams.includes(entry.upstreamFormat),
  );
}
