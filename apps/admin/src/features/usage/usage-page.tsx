'use client';

import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';

import { Page } from '../../design/page';
import { Tabs, useTab } from '../../design/tabs';
import { showTime } from '../../format/time';
import { useMay, useScope } from '../../shell/scope';
import { FilterBar, type ListFilter } from './filter-bar';
import { Overview } from './overview';
import { isHour } from './range';
import { RangeChooser } from './range-chooser';
import { Requests } from './requests';
import { KEPT } from './state';
import { useUsage } from './use-usage';
import { ViewsButton } from './views/views-button';

const McpRequests = dynamic(() => import('./mcp-requests').then((module) => module.McpRequests), {
  ssr: false,
});
const SessionCard = dynamic(() => import('./session-card').then((module) => module.SessionCard), {
  ssr: false,
});
const Residency = dynamic(() => import('./residency').then((module) => module.Residency), {
  ssr: false,
});

/** Single requests are shown for one organisation at a time. */
const USAGE_TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'requests', label: 'Requests' },
  { value: 'mcp', label: 'MCP requests' },
  { value: 'regions', label: 'Regions' },
] as const;

/** Filters of the lists that come from links. */
const LIST_FILTERS: Readonly<Record<string, readonly ListFilter[]>> = {
  requests: ['errorCode', 'clientRequestId', 'screening'],
  mcp: ['name'],
};

/** The usage page: overview and lists of requests. */
export function UsagePage({ nowMs }: { nowMs: number }) {
  const usage = useUsage(nowMs);
  const { organisation, me } = useScope();
  const tab = useTab(USAGE_TABS);
  const maySave = useMay('usage-views.write');
  const search = useSearchParams();
  const { startMs, endMs } = usage.state.span;
  const hours = isHour(search.get('from') ?? undefined) || isHour(search.get('to') ?? undefined);
  const edge = (ms: number): string => showTime(ms, hours ? 'moment' : 'date', usage.timeZone);
  const ofWhat =
    organisation === null
      ? 'All organisations'
      : me.role === 'USER'
        ? 'Your own usage'
        : me.role === 'MANAGER'
          ? 'Your teams and your own usage'
          : organisation.name;
  const shown = organisation === null ? 'overview' : tab;
  return (
    <Page
      title="Usage"
      description={`${ofWhat}, ${edge(startMs)} to ${edge(hours ? endMs : endMs - 1)}`}
      actions={
        <>
          {organisation !== null && maySave && <ViewsButton usage={usage} />}
          <RangeChooser usage={usage} />
        </>
      }
    >
      {organisation !== null && <Tabs label="Parts of usage" tabs={USAGE_TABS} keep={KEPT} />}
      <FilterBar
        usage={usage}
        more={Object.fromEntries(
          (LIST_FILTERS[shown] ?? []).map((name) => [name, search.get(name) ?? undefined]),
        )}
      />
      {organisation !== null && usage.state.filters.session !== undefined && (
        <SessionCard usage={usage} session={usage.state.filters.session} />
      )}
      {shown === 'overview' && <Overview usage={usage} />}
      {shown === 'requests' && <Requests usage={usage} />}
      {shown === 'mcp' && <McpRequests usage={usage} />}
      {shown === 'regions' && <Residency usage={usage} />}
    </Page>
  );
}
