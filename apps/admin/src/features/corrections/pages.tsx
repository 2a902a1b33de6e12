import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import { Corrections } from './corrections';

export const correctionsPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listPriceCorrections, {
      params: { organisationId },
      query: listInput(rest.listPriceCorrections, get),
    }),
  ],
  view: () => <Corrections />,
};

/** Of all organisations, or of the one that is chosen. */
export const platformCorrectionsPage: WidePage = {
  reads: (ask, { organisationId, get }) => [
    organisationId === undefined
      ? ask(rest.listPlatformPriceCorrections, {
          query: listInput(rest.listPlatformPriceCorrections, get),
        })
      : ask(rest.listPriceCorrections, {
          params: { organisationId },
          query: listInput(rest.listPriceCorrections, get),
        }),
  ],
  view: () => <Corrections />,
};
