'use client';

import { Tabs, useTab } from '../../design/tabs';
import { Destinations } from './destinations';
import { AlertLog } from './log';
import { Rules } from './rules';

const TABS = [
  { value: 'log', label: 'Log' },
  { value: 'rules', label: 'Rules' },
  { value: 'destinations', label: 'Destinations' },
] as const;

/** Alerts of the organisation, or of the platform: what was raised, by which rules, sent where. */
export function AlertsPage() {
  const tab = useTab(TABS);
  const tabs = <Tabs label="Parts of alerts" tabs={TABS} />;
  if (tab === 'rules') return <Rules above={tabs} />;
  if (tab === 'destinations') return <Destinations above={tabs} />;
  return <AlertLog above={tabs} />;
}
