// Which models an operation and a route can reach, whatever their keys are granted.
import {
  OPERATIONS,
  UPSTREAM_FORMATS,
  familyServes,
  isFixedFamily,
  isOneOf,
  isRouteFamily,
  providerServes,
} from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import type { KeyPlan, OrganisationModel } from '../directory';

/** What this version does not know is not judged here. */
export function providerDoes(operation: string, { entry, providerType }: OrganisationModel) {
  const { nativeResponses, upstreamFormat } = entry;
  if (!isOneOf(OPERATIONS, operation) || !isOneOf(UPSTREAM_FORMATS, upstreamFormat)) return true;
  return providerServes(providerType, upstreamFormat, operation, nativeResponses);
}

/** The family's own rule, and whatever else the caller restricts its route to; the setting lifts both. */
export function routeServes(
  { family, allowedProviderTypes }: AuthorizeRequest__Output,
  { openCompatRoutes }: KeyPlan,
  { providerType }: OrganisationModel,
): boolean {
  const restricted =
    allowedProviderTypes.length > 0 && !allowedProviderTypes.includes(providerType);
  if (!isRouteFamily(family)) return !restricted;
  if (restricted) return openCompatRoutes && isFixedFamily(family);
  return familyServes(family, providerType, openCompatRoutes);
}
