import { rest } from '@tollgate/contracts';

import { serve, serveDetached, type Route } from '../../rest/call';
import {
  create,
  deliveries,
  find,
  get,
  list,
  remove,
  update,
  type ExportDestinationDeps,
} from './export-destinations';
import { testDestination } from './test-destination';

export function createExportDestinationRoutes(deps: ExportDestinationDeps): Route[] {
  return [
    serve(rest.listExportDestinations, (call) => list(call, call.organisation.id)),
    serve(rest.createExportDestination, (call) => create(call, call.organisation.id, deps)),
    serve(rest.getExportDestination, (call) => get(call, call.organisation.id)),
    serve(rest.updateExportDestination, (call) => update(call, call.organisation.id, deps)),
    serve(rest.deleteExportDestination, (call) => remove(call, call.organisation.id)),
    serve(rest.listExportDeliveries, (call) => deliveries(call, call.organisation.id)),
    serveDetached(rest.testExportDestination, async (call) => {
      const row = await find(call.db, call.organisation.id, call.params.exportDestinationId);
      return testDestination(row, deps, call);
    }),
    serve(rest.listPlatformExportDestinations, (call) => list(call, null)),
    serve(rest.createPlatformExportDestination, (call) => create(call, null, deps)),
    serve(rest.getPlatformExportDestination, (call) => get(call, null)),
    serve(rest.updatePlatformExportDestination, (call) => update(call, null, deps)),
    serve(rest.deletePlatformExportDestination, (call) => remove(call, null)),
    serve(rest.listPlatformExportDeliveries, (call) => deliveries(call, null)),
    serveDetached(rest.testPlatformExportDestination, async (call) => {
      const row = await find(call.db, null, call.params.exportDestinationId);
      return testDestination(row, deps, call);
    }),
  ];
}
