import { rest } from '@tollgate/contracts';

import type { OrganisationPage } from '../../server/pages';
import { Settings } from './settings';

export const settingsPage: OrganisationPage = {
  reads: (ask, { organisationId }) => [
    ask(rest.getOwnOrganisation, { params: { organisationId } }),
  ],
  view: ({ organisationId }) => <Settings key={organisationId} />,
};
