import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import { narrowed } from '../users/narrowed';
import { Audit } from './audit';

export const auditPage: OrganisationPage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listAuditEvents, {
      params: { organisationId },
      query: listInput(rest.listAuditEvents, get),
    }),
  ],
  view: () => <Audit />,
};

export const platformAuditPage: WidePage = {
  reads: (ask, { organisationId, get }) => [
    ask(rest.listPlatformAuditEvents, {
      query: listInput(rest.listPlatformAuditEvents, get, narrowed(organisationId)),
    }),
  ],
  view: () => <Audit />,
};
