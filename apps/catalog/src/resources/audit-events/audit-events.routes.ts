import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { list } from './audit-events';
import { exportEvents } from './audit-export';

export const auditEventRoutes: Route[] = [
  serve(rest.exportAuditEvents, (call) => Promise.resolve(exportEvents(call))),
  serve(rest.listAuditEvents, (call) => list(call.db, call.query, call.organisation.id)),
  serve(rest.listPlatformAuditEvents, (call) => {
    const { organisationId, ...query } = call.query;
    return list(call.db, query, organisationId);
  }),
];
