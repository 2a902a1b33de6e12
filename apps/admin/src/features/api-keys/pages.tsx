import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { passesQuery } from '../limits/passes-query';
import { ApiKeys } from './api-keys';
import { KeyPage } from './key-page';
import { LIMITS_QUERY, REFUSALS_QUERY, USABLE_QUERY } from './queries';

export const apiKeysPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listApiKeys, { params: { organisationId }, query: listInput(rest.listApiKeys, get) }),
  ],
  view: () => <ApiKeys />,
};

export const apiKeyPage: OrganisationPage = {
  reads: (ask, { organisationId, get, path: { id: apiKeyId = '' } }) => {
    const params = { organisationId };
    const limits = { params, query: LIMITS_QUERY };
    return [
      ask(rest.getApiKey, { params: { organisationId, apiKeyId } }),
      ask(rest.listApiKeyRefusals, {
        params: { organisationId, apiKeyId },
        query: REFUSALS_QUERY,
      }),
      ask(rest.listUsableModels, {
        params: { organisationId, apiKeyId },
        query: USABLE_QUERY,
      }),
      ask(rest.listBudgets, limits),
      ask(rest.listQuotas, limits),
      ask(rest.listRateLimits, limits),
      ask(rest.listSoftLimitPasses, { params, query: passesQuery({ apiKeyId }) }),
      ask(rest.listUsageRecords, {
        params,
        query: listInput(rest.listUsageRecords, get, { apiKeyId }),
      }),
    ];
  },
  view: ({ path: { id: apiKeyId = '' } }) => <KeyPage apiKeyId={apiKeyId} />,
};
