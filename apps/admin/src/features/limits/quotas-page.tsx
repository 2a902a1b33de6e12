'use client';

import { useTab } from '../../design/tabs';
import { QUOTA_TABS } from './quota-tabs';
import { Quotas } from './quotas';
import { RateLimits } from './rate-limits';

/** Quotas and rate limits, which share an address. */
export function QuotasPage() {
  return useTab(QUOTA_TABS) === 'rates' ? <RateLimits /> : <Quotas />;
}
