import { rest } from '@tollgate/contracts';

import { listInput, type Get } from '../../resource/list-input';
import type { OrganisationPage, WidePage } from '../../server/pages';
import type { Ask } from '../../server/prefetch';
import { AlertsPage } from './alerts-page';

function readsOfOne(ask: Ask, { organisationId, get }: { organisationId: string; get: Get }) {
  const params = { organisationId };
  switch (get('tab')) {
    case 'rules':
      return [ask(rest.listAlertRules, { params, query: listInput(rest.listAlertRules, get) })];
    case 'destinations': {
      const query = listInput(rest.listAlertDestinations, get);
      return [ask(rest.listAlertDestinations, { params, query })];
    }
    default:
      return [ask(rest.listAlerts, { params, query: listInput(rest.listAlerts, get) })];
  }
}

export const alertsPage: OrganisationPage = { reads: readsOfOne, view: () => <AlertsPage /> };

/** Of the platform, or of the organisation that is chosen. */
export const platformAlertsPage: WidePage = {
  reads: (ask, { organisationId, get }) => {
    if (organisationId !== undefined) return readsOfOne(ask, { organisationId, get });
    return get('tab') === undefined
      ? [ask(rest.listPlatformAlerts, { query: listInput(rest.listPlatformAlerts, get) })]
      : [];
  },
  view: () => <AlertsPage />,
};
