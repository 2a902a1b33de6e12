'use client';

import { Building2 } from 'lucide-react';

import { Empty } from '../../design/empty';
import { Page } from '../../design/page';
import { Tabs, useTab } from '../../design/tabs';
import { useScope } from '../../shell/scope';
import { Abandoned } from './abandoned';
import { Corrections } from './corrections';
import { Quarantine } from './quarantine';
import { Rerates } from './rerates';

const LEDGER_TABS = [
  { value: 'quarantine', label: 'Quarantine' },
  { value: 'abandoned', label: 'Abandoned' },
  { value: 'corrections', label: 'Corrections' },
  { value: 'rerates', label: 'Re-ratings' },
] as const;

/** Tabs that show one organisation at a time. */
const OF_ONE_ORGANISATION: readonly string[] = ['corrections', 'rerates'];

/** The operator's view of the ledger: quarantine, abandoned holds, corrections, re-ratings. */
export function Ledger() {
  const { organisation } = useScope();
  const tab = useTab(LEDGER_TABS);
  return (
    <Page
      title="Ledger"
      description="Entries that could not be booked, holds that were never settled, and corrections."
    >
      <Tabs label="Parts of the ledger" tabs={LEDGER_TABS} />
      {tab === 'quarantine' && <Quarantine />}
      {tab === 'abandoned' && <Abandoned />}
      {OF_ONE_ORGANISATION.includes(tab) && organisation === null && <ChooseOne />}
      {tab === 'corrections' && organisation !== null && <Corrections />}
      {tab === 'rerates' && organisation !== null && <Rerates />}
    </Page>
  );
}

function ChooseOne() {
  return (
    <div className="rounded-lg border bg-surface">
      <Empty icon={Building2} title="Choose an organisation">
        Corrections belong to one organisation. Choose it above.
      </Empty>
    </div>
  );
}
