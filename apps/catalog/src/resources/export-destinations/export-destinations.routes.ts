import { rest } from '@tollgate/contracts';

import { serve, serveDetached, type Call, type Route } from '../../rest/call';
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
    serve(rest.getExportDestination, (call) => get(call, inside(call))),
    serve(rest.updateExportDestination, (call) => update(call, inside(call), deps)),
    serve(rest.deleteExportDestination, (call) => remove(call, inside(call))),
    serve(rest.listExportDeliveries, (call) => deliveries(call, inside(call))),
    serveDetached(rest.testExportDestination, async (call) =>
      testDestination(await find(call.db, inside(call)), deps, call),
    ),
    serve(rest.listPlatformExportDestinations, (call) => list(call, null)),
    serve(rest.createPlatformExportDestination, (call) => create(call, null, deps)),
    serve(rest.getPlatformExportDestination, (call) => get(call, outside(call))),
    serve(rest.updatePlatformExportDestination, (call) => update(call, outside(call), deps)),
    serve(rest.deletePlatformExportDestination, (call) => remove(call, outside(call))),
    serve(rest.listPlatformExportDeliveries, (call) => deliveries(call, outside(call))),
    serveDetached(rest.testPlatformExportDestination, async (call) =>
      testDestination(await find(call.db, outside(call)), deps, call),
    ),
  ];
}

const inside = ({
  organisation,
  params,
}: Pick<Call<typeof rest.getExportDestination>, 'organisation' | 'params'>) => ({
  owner: organisation.id,
  id: params.exportDestinationId,
});

const outside = ({ params }: Pick<Call<typeof rest.getPlatformExportDestination>, 'params'>) => ({
  owner: null,
  id: params.platformExportDestinationId,
});
