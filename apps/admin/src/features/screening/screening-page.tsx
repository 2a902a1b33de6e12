'use client';

import { Tabs, useTab } from '../../design/tabs';
import { ScreeningServices } from '../screening-services/services';
import { ScreeningPolicies } from './policies';

const TABS = [
  { value: 'policies', label: 'Policies' },
  { value: 'services', label: 'Services' },
] as const;

/** The screening page: policies, and the services that their rules ask. */
export function ScreeningPage() {
  const tab = useTab(TABS);
  const tabs = <Tabs label="Parts of screening" tabs={TABS} />;
  return tab === 'services' ? (
    <ScreeningServices above={tabs} />
  ) : (
    <ScreeningPolicies above={tabs} />
  );
}
