import { rest } from '@tollgate/contracts';
import { Dashboard } from '../../../features/dashboard/dashboard';
import { BUDGETS_QUERY, LATEST_QUERY } from '../../../features/dashboard/queries';
import { rangeOf, rollupQuery } from '../../../features/dashboard/range';
import { withReads } from '../../../server/prefetch';
import { organisationScope } from '../../../server/viewer';

export const metadata = { title: 'Dashboard' };

type DashboardProps = {
  params: Promise<{ organisation: string }>;
  searchParams: Promise<{ range?: string | string[] }>;
};

export default async function DashboardPage({ params, searchParams }: DashboardProps) {
  const scope = await organisationScope((await params).organisation);
  // The layout says why.
  if (!scope.ok) return null;
  const { range } = await searchParams;
  const { id: organisationId, timeZone } = scope.organisation;
  const nowMs = Date.now();
  const asked = rollupQuery(rangeOf(typeof range === 'string' ? range : null), nowMs, timeZone);
  const of = { organisationId };
  return withReads(
    scope.client,
    (read) => [
      read(rest.getUsageRollup, { params: of, query: asked }),
      read(rest.getUsageRollup, {
        params: of,
        query: { ...asked, bucket: 'total', groupBy: 'model' },
      }),
      read(rest.listBudgets, { params: of, query: BUDGETS_QUERY }),
      read(rest.listUsageRecords, { params: of, query: LATEST_QUERY }),
    ],
    <Dashboard nowMs={nowMs} />,
  );
}
