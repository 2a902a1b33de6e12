'use client';

import { useSearchParams } from 'next/navigation';

import { Page } from '../../design/page';
import { Tabs, useTab } from '../../design/tabs';
import { showTime } from '../../format/time';
import { useScope } from '../../shell/scope';
import { FilterBar } from './filter-bar';
import { Overview } from './overview';
import { RangeChooser } from './range-chooser';
import { Requests } from './requests';
import { KEPT } from './state';
import { useUsage } from './use-usage';

/** Single requests are shown for one organisation at a time. */
const USAGE_TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'requests', label: 'Requests' },
] as const;

/** The usage page: overview and list of requests. */
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
  const requests = organisation !== null && tab === 'requests';
  return (
    <Page
      title="Usage"
      description={`${ofWhat}, ${day(startMs)} to ${day(endMs - 1)}`}
      actions={<RangeChooser usage={usage} />}
    >
      {organisation !== null && <Tabs label="Parts of usage" tabs={USAGE_TABS} keep={KEPT} />}
      <FilterBar
        usage={usage}
        more={
          requests
            ? {
                errorCode: search.get('errorCode') ?? undefined,
                clientRequestId: search.get('clientRequestId') ?? undefined,
              }
            : {}
        }
      />
      {requests ? <Requests usage={usage} /> : <Overview usage={usage} />}
    </Page>
  );
}
