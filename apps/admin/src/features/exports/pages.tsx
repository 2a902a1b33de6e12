import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import { Exports } from './exports';

export const exportsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listExportDestinations, {
      params: { organisationId },
      query: listInput(rest.listExportDestinations, get),
    }),
  ],
  view: () => <Exports />,
};

/** Of the chosen organisation, or of the platform. */
export const platformExportsPage: WidePage = {
  reads: (ask, { organisationId, get }) => [
    organisationId === undefined
      ? ask(rest.listPlatformExportDestinations, {
          query: listInput(rest.listPlatformExportDestinations, get),
        })
      : ask(rest.listExportDestinations, {
          params: { organisationId },
          query: listInput(rest.listExportDestinations, get),
        }),
  ],
  view: () => <Exports />,
};
