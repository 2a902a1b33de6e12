import { rest } from '@tollgate/contracts';

import { PlatformDashboard } from '../../../features/dashboard/platform-dashboard';
import { usageQuestions } from '../../../features/dashboard/queries';
import { NEWEST } from '../../../features/organisations/queries';
import { rangeOf } from '../../../features/usage/range';
import { withReads } from '../../../server/prefetch';
import { platformScope } from '../../../server/viewer';
import { FailureInFrame } from '../../../shell/failure-page';

export const metadata = { title: 'Platform dashboard' };

interface DashboardProps {
  searchParams: Promise<{ range?: string | string[] }>;
}

export default async function PlatformDashboardPage({ searchParams }: DashboardProps) {
  const scope = await platformScope();
  if (!scope.ok) return <FailureInFrame error={scope.error} />;
  const { range } = await searchParams;
  const nowMs = Date.now();
  const named = rangeOf(typeof range === 'string' ? range : null);
  const { overTime, byOrganisation } = usageQuestions(named, nowMs, 'UTC', false);
  return withReads(
    scope.client,
    (read) => [
      read(rest.explorePlatformUsage, { query: overTime }),
      read(rest.explorePlatformUsage, { query: byOrganisation }),
      read(rest.listOrganisations, { query: NEWEST }),
      read(rest.listPlatformAuditEvents, { query: NEWEST }),
    ],
    <PlatformDashboard nowMs={nowMs} />,
  );
}
