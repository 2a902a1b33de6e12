'use client';

import { type ModelType, rest, whyUnserved } from '@tollgate/contracts';
import { useRead } from '../../api/provider';
import { useOrganisation } from '../../shell/scope';

/** Why a provider's model of a type would have no route here, before it is sent; undefined: it has one. */
export function useWhyUnserved(
  providerId: string | undefined,
): (type: ModelType) => string | undefined {
  const { id: organisationId } = useOrganisation();
  const { data: settings } = useRead(rest.getSettings, { params: { organisationId } });
  const { data: provider } = useRead(
    rest.getProvider,
    { params: { organisationId, providerId: providerId ?? '' } },
    { enabled: providerId !== undefined },
  );
  return (type) => {
    if (settings === undefined || provider === undefined) return undefined;
    const { type: providerType, upstreamFormat } = provider;
    return whyUnserved({ type, providerType, upstreamFormat }, settings.openCompatRoutes);
  };
}
