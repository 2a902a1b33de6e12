import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage } from '../../server/pages';
import { Upstreams } from './upstreams';

export const upstreamsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listUpstreamStatuses, {
      params: { organisationId },
      query: listInput(rest.listUpstreamStatuses, get),
    }),
  ],
  view: () => <Upstreams />,
};
