import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { ScreeningPolicy } from './policy';
import { ScreeningPage } from './screening-page';

export const screeningPoliciesPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listScreeningPolicies, {
      params: { organisationId },
      query: listInput(rest.listScreeningPolicies, get),
    }),
  ],
  view: () => <ScreeningPage />,
};

export const screeningPolicyPage: OrganisationPage = {
  reads: (ask, { organisationId, path: { id: screeningPolicyId = '' } }) => [
    ask(rest.getScreeningPolicy, { params: { organisationId, screeningPolicyId } }),
  ],
  view: ({ path: { id: policyId = '' } }) => <ScreeningPolicy policyId={policyId} />,
};
