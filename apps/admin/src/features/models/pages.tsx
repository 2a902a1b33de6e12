import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Model } from './model';
import { Models } from './models';
import { PROVIDERS_QUERY } from './queries';

export const modelsPage: OrganisationPage = {
  reads: (ask, { organisationId, me, get }) => {
    const params = { organisationId };
    return [
      ask(rest.listModels, { params, query: listInput(rest.listModels, get) }),
      ...(me.actions.includes('providers.read')
        ? [ask(rest.listProviders, { params, query: PROVIDERS_QUERY })]
        : []),
    ];
  },
  view: () => <Models />,
};

export const modelPage: OrganisationPage = {
  reads: (ask, { organisationId, get, path: { id: modelId = '' } }) => {
    const params = { organisationId, modelId };
    return [
      ask(rest.getModel, { params }),
      ask(rest.listPrices, { params, query: listInput(rest.listPrices, get) }),
    ];
  },
  view: ({ path: { id: modelId = '' } }) => <Model modelId={modelId} />,
};
