'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { useMay, useOrganisation } from '../../shell/scope';

/** The name of a provider; the beginning of its id where the user may not read it, or it is gone. */
export function ProviderName({ providerId }: { providerId: string }) {
  const { id: organisationId } = useOrganisation();
  const enabled = useMay('providers.read') && providerId !== '';
  const { data } = useRead(
    rest.getProvider,
    { params: { organisationId, providerId } },
    { enabled },
  );
  return data?.name ?? (providerId.slice(0, 8) || '—');
}
