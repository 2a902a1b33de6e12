import { rest } from '@tollgate/contracts';

import { listInput, type Get } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import type { Ask } from '../../server/prefetch';
import { RefusedPage } from './refused-page';

function readsOfOne(ask: Ask, { organisationId, get }: { organisationId: string; get: Get }) {
  const query = listInput(rest.listRefusedRequests, get);
  return [ask(rest.listRefusedRequests, { params: { organisationId }, query })];
}

export const refusedPage: OrganisationPage = {
  reads: readsOfOne,
  view: () => <RefusedPage />,
};

export const platformRefusedPage: WidePage = {
  reads: (ask, { organisationId, get }) => {
    if (organisationId !== undefined) return readsOfOne(ask, { organisationId, get });
    const query = listInput(rest.listPlatformRefusedRequests, get);
    return [ask(rest.listPlatformRefusedRequests, { query })];
  },
  view: () => <RefusedPage />,
};
