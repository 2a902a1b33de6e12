import { rest } from '@tollgate/contracts';
import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Provider } from './provider';
import { Providers } from './providers';

export const providersPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listProviders, {
      params: { organisationId },
      query: listInput(rest.listProviders, get),
    }),
  ],
  view: () => <Providers />,
};

export const providerPage: OrganisationPage = {
  reads: (ask, { organisationId, get, path: { id: providerId = '' } }) => {
    const params = { organisationId, providerId };
    return [
      ask(rest.getProvider, { params }),
      get('tab') === 'models'
        ? ask(rest.listModels, {
            params: { organisationId },
            query: listInput(rest.listModels, get, { providerId }),
          })
        : ask(rest.listProviderKeys, { params, query: listInput(rest.listProviderKeys, get) }),
    ];
  },
  view: ({ path: { id: providerId = '' } }) => <Provider providerId={providerId} />,
};
