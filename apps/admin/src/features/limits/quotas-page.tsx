'use client';

import { Page } from '../../design/page';
import { Tabs, useTab } from '../../design/tabs';
import { QUOTA_TABS } from './quota-tabs';
import { Quotas } from './quotas';
import { RateLimits } from './rate-limits';

/** Quotas and rate limits, which share an address: both cap how much of something may happen. */
export function QuotasPage() {
  const tab = useTab(QUOTA_TABS);
  return (
    <Page
      title="Quotas"
      description="How much may happen in a window, how fast, and how much at once."
    >
      <Tabs label="Kinds of limit" tabs={QUOTA_TABS} />
      {tab === 'rates' ? <RateLimits /> : <Quotas />}
    </Page>
  );
}
