import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Budgets } from './budgets';
import { passesQuery } from './passes-query';
import { Quotas } from './quotas';
import { RateLimits } from './rate-limits';

export const budgetsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listBudgets, { params: { organisationId }, query: listInput(rest.listBudgets, get) }),
    ask(rest.listSoftLimitPasses, {
      params: { organisationId },
      query: passesQuery({ resource: 'budget' }),
    }),
  ],
  view: () => <Budgets nowMs={Date.now()} />,
};

export const quotasPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => {
    const params = { organisationId };
    const passes = (resource: 'quota' | 'rate-limit') =>
      ask(rest.listSoftLimitPasses, { params, query: passesQuery({ resource }) });
    return get('tab') === 'rates'
      ? [
          ask(rest.listRateLimits, { params, query: listInput(rest.listRateLimits, get) }),
          passes('rate-limit'),
        ]
      : [ask(rest.listQuotas, { params, query: listInput(rest.listQuotas, get) }), passes('quota')];
  },
  view: ({ get }) => (get('tab') === 'rates' ? <RateLimits /> : <Quotas />),
};
