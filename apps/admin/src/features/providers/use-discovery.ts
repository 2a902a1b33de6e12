'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';

import { useRest } from '../../api/provider';

/** Asks an upstream for its models once; again only when the user asks for it. */
export function useDiscovery(provider: Pick<rest.Provider, 'id' | 'organisationId'>) {
  const client = useRest();
  const { id: providerId, organisationId } = provider;
  return useQuery({
    queryKey: [rest.discoverModels.id, providerId],
    queryFn: () =>
      client.call(rest.discoverModels, { params: { organisationId, providerId }, body: {} }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
