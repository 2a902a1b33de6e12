'use client';

import { useSearchParams } from 'next/navigation';

import { Page } from '../../design/page';
import { useMay, useOrganisation } from '../../shell/scope';
import { SoftLimitPasses } from '../limits/soft-limit-passes';
import { SetupCard } from '../setup/setup-card';
import { rangeOf, RANGES } from '../usage/range';
import { Budgets } from './budgets';
import { LatestRequests } from './latest-requests';
import { RangeChoice } from './range-choice';
import { Usage } from './usage';
import { WhatNeedsYou } from './what-needs-you';

/**
 * An organisation's dashboard. `nowMs` is the server's time, so that server and browser render the
 * same range.
 */
export function Dashboard({ nowMs }: { nowMs: number }) {
  const organisation = useOrganisation();
  const range = rangeOf(useSearchParams().get('range'));
  const mayReadUsage = useMay('usage.read');
  const maySeeBudgets = useMay('budgets.read');
  return (
    <Page
      title="Dashboard"
      description={`${organisation.name} in ${RANGES[range].words}`}
      actions={<RangeChoice range={range} />}
    >
      <SetupCard />
      {mayReadUsage && <WhatNeedsYou nowMs={nowMs} />}
      <Usage range={range} nowMs={nowMs} />
      {maySeeBudgets && <Budgets />}
      <SoftLimitPasses />
      <LatestRequests />
    </Page>
  );
}
