import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import type { BodyRules } from './body-rules';
import { create, get, list, setStatus, update } from './organisations';
import { clearResponseCache } from './response-cache';
import { getSettings, updateSettings } from './settings';

export function createOrganisationRoutes(rules: BodyRules): Route[] {
  return [
    serve(rest.listOrganisations, list),
    serve(rest.createOrganisation, (call) => create(call, rules)),
    serve(rest.getOrganisation, (call) => get(call.db, call.params.organisationId)),
    serve(rest.updateOrganisation, (call) => update(call, call.body, rules)),
    serve(rest.suspendOrganisation, (call) => setStatus(call, 'SUSPENDED')),
    serve(rest.resumeOrganisation, (call) => setStatus(call, 'ACTIVE')),
    serve(rest.archiveOrganisation, (call) => setStatus(call, 'ARCHIVED')),
    serve(rest.getOwnOrganisation, (call) => get(call.db, call.params.organisationId)),
    serve(rest.updateOwnOrganisation, (call) => update(call, call.body, rules)),
    serve(rest.getSettings, getSettings),
    serve(rest.updateSettings, (call) => updateSettings(call, rules)),
    serve(rest.clearResponseCache, clearResponseCache),
  ];
}
