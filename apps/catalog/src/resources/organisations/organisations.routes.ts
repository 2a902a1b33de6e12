import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, list, setStatus, update } from './organisations';
import { clearResponseCache } from './response-cache';
import { getSettings, updateSettings } from './settings';

export const organisationRoutes: Route[] = [
  serve(rest.listOrganisations, list),
  serve(rest.createOrganisation, create),
  serve(rest.getOrganisation, (call) => get(call.db, call.params.organisationId)),
  serve(rest.updateOrganisation, (call) => update(call, call.body)),
  serve(rest.suspendOrganisation, (call) => setStatus(call, 'SUSPENDED')),
  serve(rest.resumeOrganisation, (call) => setStatus(call, 'ACTIVE')),
  serve(rest.archiveOrganisation, (call) => setStatus(call, 'ARCHIVED')),
  serve(rest.getOwnOrganisation, (call) => get(call.db, call.params.organisationId)),
  serve(rest.updateOwnOrganisation, (call) => update(call, call.body)),
  serve(rest.getSettings, getSettings),
  serve(rest.updateSettings, updateSettings),
  serve(rest.clearResponseCache, clearResponseCache),
];
