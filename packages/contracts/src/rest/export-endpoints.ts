import { endpoint } from './endpoint';
import {
  EXPORT_DELIVERIES_KEPT,
  exportBatch,
  exportDestination,
  exportDestinationCreate,
  exportDestinationCreated,
  exportDestinationPatch,
  exportTestResult,
} from './export-destinations';
import { listQuery, page, search } from './fields';
import type { Action } from './permissions';

/** The endpoints of export destinations: the same for an organisation and for the platform. */

const tag = 'Exports';

interface Permissions {
  readonly read: Action;
  readonly write: Action;
}

const whoseOf = (infix: '' | 'Platform'): string =>
  infix === '' ? 'of the organisation' : 'of the platform';

/** The endpoints of one owner. `infix` is part of their ids. */
function endpointsAt<const Root extends string, const Parameter extends string>(
  root: Root,
  parameter: Parameter,
  infix: '' | 'Platform',
  { read, write }: Permissions,
) {
  const one = `${root}/:${parameter}` as const;
  const whose = whoseOf(infix);
  return {
    list: endpoint({
      id: `list${infix}ExportDestinations`,
      tag,
      summary: `Export destinations ${whose}`,
      method: 'GET',
      path: root,
      access: read,
      query: listQuery(['createdAt', 'name'], { search }),
      response: page(exportDestination),
    }),
    create: endpoint({
      id: `create${infix}ExportDestination`,
      tag,
      summary: `Add an export destination ${whose}`,
      method: 'POST',
      path: root,
      access: write,
      body: exportDestinationCreate,
      response: exportDestinationCreated,
      status: 201,
      secret: true,
    }),
    get: endpoint({
      id: `get${infix}ExportDestination`,
      tag,
      summary: `One export destination ${whose}`,
      method: 'GET',
      path: one,
      access: read,
      response: exportDestination,
      etag: true,
    }),
    update: endpoint({
      id: `update${infix}ExportDestination`,
      tag,
      summary: `Change, pause or resume an export destination ${whose}`,
      method: 'PATCH',
      path: one,
      access: write,
      body: exportDestinationPatch,
      response: exportDestination,
      etag: true,
    }),
    remove: endpoint({
      id: `delete${infix}ExportDestination`,
      tag,
      summary: `Delete an export destination ${whose}; what waits is not delivered`,
      method: 'DELETE',
      path: one,
      access: write,
    }),
    ...actionsAt(one, infix, { read, write }),
  };
}

/** What is done with one destination. */
function actionsAt<const One extends string>(
  one: One,
  infix: '' | 'Platform',
  { read, write }: Permissions,
) {
  const whose = whoseOf(infix);
  return {
    test: endpoint({
      id: `test${infix}ExportDestination`,
      tag,
      summary: `Deliver one sample line to an export destination ${whose}`,
      method: 'POST',
      path: `${one}/test` as const,
      access: write,
      response: exportTestResult,
    }),
    deliveries: endpoint({
      id: `list${infix}ExportDeliveries`,
      tag,
      summary: `The last ${EXPORT_DELIVERIES_KEPT} batches of an export destination ${whose}, newest first`,
      method: 'GET',
      path: `${one}/deliveries` as const,
      access: read,
      query: listQuery(['number'], {}),
      response: page(exportBatch),
    }),
  };
}

const ofOrganisation = endpointsAt(
  '/api/organisations/:organisationId/export-destinations',
  'exportDestinationId',
  '',
  {
    read: 'exports.read',
    write: 'exports.write',
  },
);
const ofPlatform = endpointsAt(
  '/api/admin/export-destinations',
  'platformExportDestinationId',
  'Platform',
  {
    read: 'platform.exports.read',
    write: 'platform.exports.write',
  },
);

export const listExportDestinations = ofOrganisation.list;
export const createExportDestination = ofOrganisation.create;
export const getExportDestination = ofOrganisation.get;
export const updateExportDestination = ofOrganisation.update;
export const deleteExportDestination = ofOrganisation.remove;
export const testExportDestination = ofOrganisation.test;
export const listExportDeliveries = ofOrganisation.deliveries;

export const listPlatformExportDestinations = ofPlatform.list;
export const createPlatformExportDestination = ofPlatform.create;
export const getPlatformExportDestination = ofPlatform.get;
export const updatePlatformExportDestination = ofPlatform.update;
export const deletePlatformExportDestination = ofPlatform.remove;
export const testPlatformExportDestination = ofPlatform.test;
export const listPlatformExportDeliveries = ofPlatform.deliveries;
