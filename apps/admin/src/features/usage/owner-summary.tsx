'use client';

import dynamic from 'next/dynamic';

import { SkeletonRows } from '../../design/skeleton';
import { useMay, useScope } from '../../shell/scope';
import type { Owner } from './owner-activity';

const loading = () => <SkeletonRows rows={2} label="Loading the activity" />;

// In the browser only and loaded afterwards: a page shows its object first.
const OwnerActivity = dynamic(() => import('./owner-activity').then((part) => part.OwnerActivity), {
  ssr: false,
  loading,
});
const LimitsOfOwner = dynamic(
  () => import('../limits/limits-of-owner').then((part) => part.LimitsOfOwner),
  { ssr: false, loading },
);

/** Spend, last request, active keys and limits of a team or user; of an API key, whose page lists its limits, only spend and last request. */
export function OwnerSummary({ of }: { of: Owner }) {
  const { organisation } = useScope();
  const maySeeUsage = useMay('usage.read');
  const maySeeLimits = useMay('budgets.read');
  // Platform users have no organisation, so they have no usage or limits.
  if (organisation === null) return null;
  return (
    <>
      {maySeeUsage && <OwnerActivity of={of} />}
      {maySeeLimits && 'teamId' in of && <LimitsOfOwner ownerId={of.teamId} noun="team" />}
      {maySeeLimits && 'userId' in of && <LimitsOfOwner ownerId={of.userId} noun="user" />}
    </>
  );
}
