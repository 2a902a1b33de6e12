'use client';

import { rest } from '@tollgate/contracts';
import { useRouter, useSearchParams } from 'next/navigation';
import { useRead } from '../../api/provider';
import { Failure } from '../../design/failure';
import { Page } from '../../design/page';
import { Segmented } from '../../design/segmented';
import { Skeleton } from '../../design/skeleton';
import { useMay, useOrganisation } from '../../shell/scope';
import { Budgets } from './budgets';
import { ByModel } from './by-model';
import { LatestRequests } from './latest-requests';
import { bucketsOf, rangeOf, RANGES, rollupQuery, type Range } from './range';
import { Totals } from './totals';
import { UsageChart } from './usage-chart';

const OPTIONS = Object.entries(RANGES).map(([value, { label }]) => ({
  value: value as Range,
  label,
}));

/** How an organisation does. `nowMs` is when the server looked, so that both see the same range. */
export function Dashboard({ nowMs }: { nowMs: number }) {
  const organisation = useOrganisation();
  const router = useRouter();
  const range = rangeOf(useSearchParams().get('range'));
  const maySeeBudgets = useMay('budgets.read');
  return (
    <Page
      title="Dashboard"
      description={`${organisation.name} in ${RANGES[range].words}`}
      actions={
        <Segmented
          label="Time range"
          options={OPTIONS}
          value={range}
          onChange={(chosen) => router.replace(`?range=${chosen}`, { scroll: false })}
        />
      }
    >
      <Usage range={range} nowMs={nowMs} />
      {maySeeBudgets && <Budgets />}
      <LatestRequests />
    </Page>
  );
}

function Usage({ range, nowMs }: { range: Range; nowMs: number }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const params = { organisationId };
  const query = rollupQuery(range, nowMs, timeZone);
  const overTime = useRead(rest.getUsageRollup, { params, query });
  const byModel = useRead(rest.getUsageRollup, {
    params,
    query: { ...query, bucket: 'total', groupBy: 'model' },
  });
  if (overTime.error !== null) {
    return <Failure error={overTime.error} onRetry={() => void overTime.refetch()} />;
  }
  if (overTime.data === undefined) return <UsageSkeleton />;
  const { data } = overTime.data;
  const spans = bucketsOf(range, nowMs, timeZone);
  return (
    <>
      <Totals rows={data} />
      <div className="grid gap-5 xl:grid-cols-[2fr_1fr]">
        <UsageChart range={range} spans={spans} rows={data} timeZone={timeZone} />
        {byModel.error !== null && (
          <Failure error={byModel.error} onRetry={() => void byModel.refetch()} />
        )}
        {byModel.data !== undefined && <ByModel rows={byModel.data.data} />}
      </div>
    </>
  );
}

function UsageSkeleton() {
  return (
    <div role="status" aria-label="Loading usage" className="flex flex-col gap-5">
      <Skeleton className="h-22" />
      <Skeleton className="h-88" />
    </div>
  );
}
