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
    const own = { organisationId };
    const tab = get('tab');
    return [
      ask(rest.getProvider, { params }),
      tab === 'models'
        ? ask(rest.listModels, {
            params: own,
            query: listInput(rest.listModels, get, { providerId }),
          })
        : tab === 'health'
          ? ask(rest.listUpstreamStatuses, {
              params: own,
              query: listInput(rest.listUpstreamStatuses, get, { providerId }),
            })
          : ask(rest.listProviderKeys, { params, query: listInput(rest.listProviderKeys, get) }),
    ];
  },
  view: ({ path: { id: providerId = '' } }) => <Provider providerId={providerId} />,
};
