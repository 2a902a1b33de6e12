import { rest } from '@tollgate/contracts';

import { Dashboard } from '../../../features/dashboard/dashboard';
import {
  BUDGETS_QUERY,
  LATEST_QUERY,
  REFUSED_QUERY,
  usageQuestions,
} from '../../../features/dashboard/queries';
import { passesQuery } from '../../../features/limits/passes-query';
import { lastDay } from '../../../features/usage/last-day';
import { rangeOf } from '../../../features/usage/range';
import { withReads } from '../../../server/prefetch';
import { organisationScope } from '../../../server/viewer';
import { FailureInFrame } from '../../../shell/failure-page';

export const metadata = { title: 'Dashboard' };

interface DashboardProps {
  params: Promise<{ organisation: string }>;
  searchParams: Promise<{ range?: string | string[] }>;
}

export default async function DashboardPage({ params, searchParams }: DashboardProps) {
  const scope = await organisationScope((await params).organisation);
  if (!scope.ok) return <FailureInFrame error={scope.error} />;
  const { range } = await searchParams;
  const { id: organisationId, timeZone } = scope.organisation;
  const nowMs = Date.now();
  const named = rangeOf(typeof range === 'string' ? range : null);
  const { overTime, byModel } = usageQuestions(named, nowMs, timeZone, false);
  const of = { organisationId };
  return withReads(
    scope.client,
    (read) => [
      read(rest.exploreUsage, { params: of, query: overTime }),
      read(rest.exploreUsage, { params: of, query: byModel }),
      read(rest.listRefusedRequests, {
        params: of,
        query: { ...REFUSED_QUERY, ...lastDay(nowMs) },
      }),
      read(rest.listBudgets, { params: of, query: BUDGETS_QUERY }),
      read(rest.listSoftLimitPasses, { params: of, query: passesQuery({}) }),
      read(rest.listUsageRecords, { params: of, query: LATEST_QUERY }),
    ],
    <Dashboard nowMs={nowMs} />,
  );
}
