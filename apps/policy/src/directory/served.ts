import { familiesServing, isOneOf, UPSTREAM_FORMATS } from '@tollgate/contracts';

import type { OrganisationModel } from './organisation-model';
import type { KeyPlan } from './plan';

/** Route families that can use any of the models, comma-separated; "none" without one. */
export function familiesOf(
  { openCompatRoutes }: KeyPlan,
  models: readonly OrganisationModel[],
): string {
  const families = models.flatMap(({ type, providerType, entry: { upstreamFormat } }) =>
    isOneOf(UPSTREAM_FORMATS, upstreamFormat)
      ? familiesServing({ type, providerType, upstreamFormat }, openCompatRoutes)
      : [],
  );
  return [...new Set(families)].join() || 'none';
}
