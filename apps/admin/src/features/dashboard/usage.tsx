'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { Failure } from '../../design/failure';
import { Skeleton } from '../../design/skeleton';
import { useScope, useTimeZone } from '../../shell/scope';
import { ChartCard } from '../usage/chart-card';
import { useOrganisationSlugs } from '../usage/group-link';
import { groupName } from '../usage/group-name';
import { LatencyCard } from '../usage/latency-card';
import { bucketsOf, periodOf, RANGES, spanOfBuckets, type Range } from '../usage/range';
import { wholeSeries } from '../usage/series';
import type { Metric } from '../usage/state';
import { Tiles } from '../usage/tiles';
import { usageHref } from '../usage/usage-href';
import { useExploration } from '../usage/use-usage';
import { ByGroup } from './by-group';
import { usageQuestions } from './queries';

/** Usage of a range: totals, over time, by group, compared with the range before. */
export function Usage({ range, nowMs }: { range: Range; nowMs: number }) {
  const scope = useScope();
  const { me } = scope;
  const router = useRouter();
  const timeZone = useTimeZone();
  const ofOwners = me.role === 'MANAGER' || me.role === 'USER';
  const asked = usageQuestions(range, nowMs, timeZone, ofOwners);
  const overTime = useExploration(asked.overTime);
  const latency = useExploration(asked.latency);
  const [metric, setMetric] = useState<Metric>('cost');
  if (overTime.error !== null) {
    return <Failure error={overTime.error} onRetry={() => void overTime.refetch()} />;
  }
  if (overTime.data === undefined) return <UsageSkeleton />;
  const { totals, previous, series } = overTime.data;
  const spans = bucketsOf(range, nowMs, timeZone);
  const { bucket } = RANGES[range];
  const explore = (first: number, last: number): void => {
    const period = periodOf(spanOfBuckets(spans, first, last), bucket, timeZone);
    router.push(usageHref(scope, { group: 'time', metric, ...period }));
  };
  const measured = latency.data && {
    totals: latency.data.totals,
    previous: latency.data.previous?.totals,
  };
  return (
    <>
      <Tiles
        totals={totals}
        previous={previous?.totals}
        latency={latency.error === null ? measured : { totals, previous: undefined }}
      />
      <div className="grid gap-5 xl:grid-cols-[2fr_1fr]">
        <ChartCard
          metric={metric}
          onMetric={setMetric}
          words="over time"
          spans={spans}
          bucket={bucket}
          timeZone={timeZone}
          series={wholeSeries(metric, spans, series)}
          requests={totals.requests}
          onRange={explore}
        />
        <Largest range={range} nowMs={nowMs} />
      </div>
      {totals.requests > 0 && (
        <LatencyCard
          data={latency.data}
          error={latency.error}
          onRetry={() => void latency.refetch()}
        />
      )}
    </>
  );
}

/** By model, or by organisation on the platform's dashboard. */
function Largest({ range, nowMs }: { range: Range; nowMs: number }) {
  const scope = useScope();
  const wide = scope.organisation === null;
  const asked = usageQuestions(range, nowMs, useTimeZone(), false);
  const { data, error, refetch } = useExploration(wide ? asked.byOrganisation : asked.byModel);
  const slugs = useOrganisationSlugs(wide);
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-88" />;
  return (
    <ByGroup
      title={wide ? 'By organisation' : 'By model'}
      exploration={data}
      nameOf={(group) => groupName(wide ? 'organisation' : 'model', group)}
      hrefOf={(id) =>
        wide
          ? slugs?.has(id) === true
            ? usageHref(scope, { organisation: slugs.get(id), range })
            : undefined
          : usageHref(scope, { modelId: id, group: 'time', range })
      }
      nothing={
        wide ? 'No organisation has usage in this period.' : 'No model has usage in this period.'
      }
    />
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
