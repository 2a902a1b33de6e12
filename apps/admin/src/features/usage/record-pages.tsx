import { rest } from '@tollgate/contracts';

import type { OrganisationPage } from '../../server/pages';
import { RecordPage } from './record-page';

// A file of its own: a page loads the scripts of everything that its file imports.

export const recordPage: OrganisationPage = {
  reads: (ask, { organisationId, path: { id: requestId = '' } }) => [
    ask(rest.getUsageRecord, { params: { organisationId, requestId } }),
  ],
  view: ({ path: { id: requestId = '' } }) => <RecordPage requestId={requestId} />,
};
