'use client';

import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';

import { Page } from '../../design/page';
import { Tabs, useTab } from '../../design/tabs';
import { showTime } from '../../format/time';
import { useScope } from '../../shell/scope';
import { FilterBar, type ListFilter } from './filter-bar';
import { McpRequests } from './mcp-requests';
import { Overview } from './overview';
import { RangeChooser } from './range-chooser';
import { Requests } from './requests';
import { SessionCard } from './session-card';
import { KEPT } from './state';
import { useUsage } from './use-usage';

const Residency = dynamic(() => import('./residency').then((module) => module.Residency));

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
  const search = useSearchParams();
  const { startMs, endMs } = usage.state.span;
  const day = (ms: number): string => showTime(ms, 'date', usage.timeZone);
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
      description={`${ofWhat}, ${day(startMs)} to ${day(endMs - 1)}`}
      actions={<RangeChooser usage={usage} />}
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
