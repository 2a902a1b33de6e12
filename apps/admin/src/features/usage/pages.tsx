import { rest, type Role } from '@tollgate/contracts';
import type { z } from 'zod';

import { listInput, type Get } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import type { Ask } from '../../server/prefetch';
import { mcpRecordsInput, recordsInput } from './list-inputs';
import { ORGANISATIONS_QUERY } from './queries';
import { questions, usageState, type Looker } from './state';
import { UsagePage } from './usage-page';

interface Asked {
  readonly organisationId: string;
  readonly get: Get;
  readonly me: { readonly role: Role };
  readonly timeZone: string;
}

/** Only the initially visible data. Percentiles and the previous period load on the page. */
function readsOfOne(ask: Ask, { organisationId, get, me, timeZone }: Asked) {
  const looker: Looker = { role: me.role, wide: false, nowMs: Date.now(), timeZone };
  const state = usageState(get, looker);
  const params = { organisationId };
  if (get('tab') === 'requests') {
    const query = listInput(rest.listUsageRecords, get, recordsInput(state));
    return [ask(rest.listUsageRecords, { params, query })];
  }
  if (get('tab') === 'mcp') {
    const query = listInput(rest.listMcpUsageRecords, get, mcpRecordsInput(state));
    return [ask(rest.listMcpUsageRecords, { params, query })];
  }
  const { totals, groups } = questions(state);
  return [
    ask(rest.exploreUsage, { params, query: totals }),
    ...(groups === undefined
      ? []
      : [ask(rest.exploreUsage, { params, query: groups as OneQuery })]),
  ];
}

// Grouping by organisation needs all organisations.
type OneQuery = z.input<typeof rest.exploreUsage.query>;

export const usagePage: OrganisationPage = {
  reads: readsOfOne,
  view: () => <UsagePage nowMs={Date.now()} />,
};

export const platformUsagePage: WidePage = {
  reads: (ask, { organisationId, get, me, timeZone }) => {
    if (organisationId !== undefined) {
      return readsOfOne(ask, { organisationId, get, me, timeZone });
    }
    const looker: Looker = { role: me.role, wide: true, nowMs: Date.now(), timeZone };
    const state = usageState(get, looker);
    const { totals, groups } = questions(state);
    return [
      ask(rest.explorePlatformUsage, { query: totals }),
      ...(groups === undefined ? [] : [ask(rest.explorePlatformUsage, { query: groups })]),
      ...(state.group === 'organisation'
        ? [ask(rest.listOrganisations, { query: ORGANISATIONS_QUERY })]
        : []),
    ];
  },
  view: () => <UsagePage nowMs={Date.now()} />,
};
