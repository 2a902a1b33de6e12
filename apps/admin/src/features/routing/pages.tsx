import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Policies } from './policies';
import { Policy } from './policy';

export const policiesPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => {
    const params = { organisationId };
    return [
      ask(rest.getSettings, { params }),
      ask(rest.listRoutingPolicies, { params, query: listInput(rest.listRoutingPolicies, get) }),
    ];
  },
  view: () => <Policies />,
};

export const policyPage: OrganisationPage = {
  reads: (ask, { organisationId, get, path: { id: routingPolicyId = '' } }) => {
    const params = { organisationId };
    return [
      ask(rest.getSettings, { params }),
      ask(rest.getRoutingPolicy, { params: { organisationId, routingPolicyId } }),
      ask(rest.listApiKeys, {
        params,
        query: listInput(rest.listApiKeys, get, { routingPolicyId }),
      }),
    ];
  },
  view: ({ path: { id: policyId = '' } }) => <Policy policyId={policyId} />,
};
