'use client';

import { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { useRead } from '../../api/provider';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';

/** Names and links the provider, if the user may know it. */
export function ProviderLink({ providerId }: { providerId: string }) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const mayRead = useMay('providers.read');
  const { data } = useRead(
    rest.getProvider,
    { params: { organisationId, providerId } },
    { enabled: mayRead },
  );
  if (!mayRead) return <span className="text-ink-faint">visible to administrators</span>;
  return (
    <Link
      href={pageOf(scope, `providers/${providerId}`)}
      className="text-accent underline-offset-4 hover:underline"
    >
      {data?.name ?? 'open'}
    </Link>
  );
}
