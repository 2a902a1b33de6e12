'use client';

import type { rest } from '@tollgate/contracts';
import { ChartNoAxesColumn, SearchX } from 'lucide-react';

import { LinkButton } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Failure } from '../../design/failure';
import { Skeleton, SkeletonRows } from '../../design/skeleton';
import { showTime } from '../../format/time';
import { pageOf } from '../../shell/paths';
import { useMay, useScope } from '../../shell/scope';
import { ChartCard, showMetric } from './chart-card';
import { changeSentence } from './compare-words';
import { ExploreBar } from './explore-bar';
import { useNarrowing } from './group-link';
import { groupInText } from './group-name';
import { GroupsTable, TimeTable } from './groups-table';
import { LatencyCard } from './latency-card';
import { bucketsBetween, periodOf, spanOfBuckets } from './range';
import { RefusedCard } from './refused-card';
import { earlierSeries, groupSeries, wholeSeries } from './series';
import { FILTER_NAMES, questions, tooLongFor, type Metric } from './state';
import { Tiles } from './tiles';
import { useExploration, type Usage } from './use-usage';

/** Usage over time and by group, compared with the previous period. */
export function Overview({ usage }: { usage: Usage }) {
  const days = tooLongFor(usage.state);
  return days === undefined ? <Explored usage={usage} /> : <TooLong usage={usage} days={days} />;
}

function TooLong({ usage, days }: { usage: Usage; days: number }) {
  return (
    <>
      <ExploreBar usage={usage} />
      <p role="alert" className="text-bad">
        This grouping or filter is read from records and covers at most {days} days. Choose a
        shorter period.
      </p>
    </>
  );
}

function Explored({ usage }: { usage: Usage }) {
  const asked = questions(usage.state);
  const totals = useExploration(asked.totals);
  const latency = useExploration(asked.latency, { keep: true });
  if (totals.error !== null) {
    return <Failure error={totals.error} onRetry={() => void totals.refetch()} />;
  }
  if (totals.data === undefined) return <Loading />;
  const { data } = totals;
  const measured = latency.data && {
    totals: latency.data.totals,
    previous: latency.data.previous?.totals,
  };
  return (
    <>
      <Tiles
        totals={data.totals}
        previous={data.previous?.totals}
        latency={latency.error === null ? measured : { totals: data.totals, previous: undefined }}
      />
      <ExploreBar usage={usage} />
      {data.totals.requests === 0 ? (
        <Nothing usage={usage} />
      ) : (
        <>
          <Charts usage={usage} exploration={data} />
          <LatencyCard
            data={latency.data}
            error={latency.error}
            onRetry={() => void latency.refetch()}
            onRange={(spans, bucket) => usage.open(periodOf(spans, bucket, data.timeZone))}
          />
        </>
      )}
      <RefusedCard usage={usage} />
    </>
  );
}

interface PartProps {
  readonly usage: Usage;
  readonly exploration: rest.UsageExploration;
}

function Charts({ usage, exploration }: PartProps) {
  const { state, go, open } = usage;
  const { group, metric, bucket } = state;
  const narrowing = useNarrowing(usage);
  const asked = questions(state);
  const groups = useExploration(asked.groups);
  const { timeZone, previous } = exploration;
  const spans = bucketsBetween(spanOf(exploration), bucket, timeZone);
  const before = useBefore(usage, exploration, spans.length);
  const grouped = groups.data;
  const series =
    group === 'time' || grouped === undefined
      ? wholeSeries(metric, spans, exploration.series)
      : groupSeries(group, metric, spans, grouped, exploration.series);
  return (
    <>
      <ChartCard
        metric={metric}
        onMetric={(chosen) => go({ metric: chosen === 'cost' ? undefined : chosen })}
        words={group === 'time' ? 'over time' : `by ${groupInText(group)}`}
        spans={spans}
        bucket={bucket}
        timeZone={timeZone}
        series={series}
        before={previous === null ? undefined : before}
        change={previous === null ? undefined : changeOf(metric, exploration, previous)}
        requests={exploration.totals.requests}
        onRange={(first, last) =>
          open(periodOf(spanOfBuckets(spans, first, last), bucket, timeZone))
        }
        onPick={
          group === 'time'
            ? undefined
            : (key) => {
                const changes = narrowing(key);
                if (changes !== undefined) open(changes);
              }
        }
      />
      {group === 'time' && <TimeTable usage={usage} exploration={exploration} />}
      {groups.error !== null && (
        <Failure error={groups.error} onRetry={() => void groups.refetch()} />
      )}
      {group !== 'time' && groups.error === null && grouped === undefined && (
        <Card title={`By ${groupInText(group)}`}>
          <SkeletonRows label="Loading the groups" />
        </Card>
      )}
      {group !== 'time' && grouped !== undefined && (
        <GroupsTable usage={usage} exploration={grouped} />
      )}
    </>
  );
}

/** The change of the metric against the previous period, in a sentence. */
function changeOf(
  metric: Metric,
  { totals, timeZone }: rest.UsageExploration,
  previous: NonNullable<rest.UsageExploration['previous']>,
): string {
  const day = (ms: number): string => showTime(ms, 'date', timeZone);
  const { startMs, endMs } = spanOf(previous);
  const [first, last] = [day(startMs), day(endMs - 1)];
  return changeSentence({
    metric,
    now: totals,
    before: previous.totals,
    show: showMetric(metric),
    period: first === last ? first : `${first} to ${last}`,
  });
}

function spanOf({ from, to }: { from: string; to: string }) {
  return { startMs: Date.parse(from), endMs: Date.parse(to) };
}

/** The previous period as a series, if it has usage. It loads after the rest. */
function useBefore({ state }: Usage, { previous, timeZone }: rest.UsageExploration, count: number) {
  const worthIt = state.compare && previous !== null && previous.totals.requests > 0;
  const { data } = useExploration(worthIt ? questions(state).before(previous) : undefined);
  if (!worthIt || data === undefined) return undefined;
  const spans = bucketsBetween(spanOf(previous), state.bucket, timeZone);
  return earlierSeries(state.metric, spans, data.series, count);
}

function Loading() {
  return (
    <div role="status" aria-label="Loading usage" className="flex flex-col gap-5">
      <Skeleton className="h-22" />
      <Skeleton className="h-88" />
    </div>
  );
}

function Nothing({ usage: { state, hrefOf } }: { usage: Usage }) {
  const scope = useScope();
  const maySeeKeys = useMay('apikeys.read');
  if (Object.keys(state.filters).length > 0) {
    const all = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]));
    return (
      <div className="rounded-lg border bg-surface">
        <Empty
          icon={SearchX}
          title="No matches"
          action={<LinkButton href={hrefOf(all)}>Remove all filters</LinkButton>}
        >
          No usage matches these filters in this period.
        </Empty>
      </div>
    );
  }
  return (
    <div className="rounded-lg border bg-surface">
      <Empty
        icon={ChartNoAxesColumn}
        title="No usage in this period"
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {state.range !== '12m' && (
              <LinkButton href={hrefOf({ range: '12m', from: undefined, to: undefined })}>
                Show 12 months
              </LinkButton>
            )}
            {scope.organisation !== null && maySeeKeys && (
              <LinkButton look="primary" href={pageOf(scope, 'apikeys')}>
                Open API keys
              </LinkButton>
            )}
          </div>
        }
      >
        Spend, requests, tokens and errors appear here after the first request. Create an API key
        and send one.
      </Empty>
    </div>
  );
}
