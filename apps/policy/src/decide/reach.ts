// Which models an operation and a route can reach. Grants of the key are checked elsewhere.
import {
  familyServes,
  isFixedFamily,
  isOneOf,
  isRouteFamily,
  OPERATIONS,
  providerServes,
  UPSTREAM_FORMATS,
} from '@tollgate/contracts';
import type { AuthorizeRequest__Output } from '@tollgate/contracts/node';

import type { KeyPlan, OrganisationModel } from '../directory';

/** An operation or format that this version does not know passes. */
export function providerDoes(operation: string, { entry, providerType }: OrganisationModel) {
  const { nativeResponses, upstreamFormat } = entry;
  if (!isOneOf(OPERATIONS, operation) || !isOneOf(UPSTREAM_FORMATS, upstreamFormat)) return true;
  return providerServes(providerType, upstreamFormat, operation, nativeResponses);
}

/** Applies the family's rule and the caller's own restriction; `openCompatRoutes` lifts both. */
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
