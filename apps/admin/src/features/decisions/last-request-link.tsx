'use client';

import Link from 'next/link';

import { pageOf } from '../../shell/paths';
import { useMay, useScope } from '../../shell/scope';

/** Leads from a cause of refusals to its newest request, for those who may read its decision. */
export function LastRequestLink({ requestId }: { readonly requestId: string }) {
  const scope = useScope();
  const may = useMay('decisions.read');
  if (!may || scope.organisation === null) return null;
  return (
    <Link
      href={pageOf(scope, `usage/${requestId}`)}
      className="block text-sm text-accent underline-offset-4 hover:underline"
    >
      Explain the last one
    </Link>
  );
}
