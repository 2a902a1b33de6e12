import { rest } from '@tollgate/contracts';
import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Budgets } from './budgets';
import { QuotasPage } from './quotas-page';

export const budgetsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listBudgets, { params: { organisationId }, query: listInput(rest.listBudgets, get) }),
  ],
  view: () => <Budgets nowMs={Date.now()} />,
};

export const quotasPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => {
    const params = { organisationId };
    return get('tab') === 'rates'
      ? [ask(rest.listRateLimits, { params, query: listInput(rest.listRateLimits, get) })]
      : [ask(rest.listQuotas, { params, query: listInput(rest.listQuotas, get) })];
  },
  view: () => <QuotasPage />,
};
