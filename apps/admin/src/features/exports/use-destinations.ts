'use client';

import { rest } from '@tollgate/contracts';

import type { RestClient } from '../../api/rest-client';
import { sourceOf, type Source } from '../../resource/source';
import { useMay, useScope } from '../../shell/scope';

/** The destinations of the page's organisation, or of the platform where none is chosen. */
export interface Destinations {
  readonly organisationId: string | undefined;
  readonly mayWrite: boolean;
  readonly source: Source<rest.ExportDestination>;
  /** Reads that a change outdates. */
  readonly stale: readonly string[];
  readonly deliveriesOf: (id: string) => Source<rest.ExportBatch>;
  readonly setStatus: (
    client: RestClient,
    id: string,
    status: 'ACTIVE' | 'PAUSED',
  ) => Promise<unknown>;
  readonly test: (client: RestClient, id: string) => Promise<rest.ExportTestResult>;
  readonly remove: (client: RestClient, id: string) => Promise<unknown>;
}

export function useDestinations(): Destinations {
  const { organisation } = useScope();
  const own = useMay('exports.write');
  const platform = useMay('platform.exports.write');
  return organisation === null ? ofPlatform(platform) : ofOrganisation(organisation.id, own);
}

function ofOrganisation(organisationId: string, mayWrite: boolean): Destinations {
  const at = (exportDestinationId: string) => ({ organisationId, exportDestinationId });
  return {
    organisationId,
    mayWrite,
    source: sourceOf(rest.listExportDestinations, { organisationId }),
    stale: [rest.listExportDestinations.id, rest.getExportDestination.id],
    deliveriesOf: (id) => sourceOf(rest.listExportDeliveries, at(id)),
    setStatus: (client, id, status) =>
      client.call(rest.updateExportDestination, { params: at(id), body: { status } }),
    test: (client, id) => client.call(rest.testExportDestination, { params: at(id) }),
    remove: (client, id) => client.call(rest.deleteExportDestination, { params: at(id) }),
  };
}

function ofPlatform(mayWrite: boolean): Destinations {
  const at = (platformExportDestinationId: string) => ({ platformExportDestinationId });
  return {
    organisationId: undefined,
    mayWrite,
    source: sourceOf(rest.listPlatformExportDestinations, {}),
    stale: [rest.listPlatformExportDestinations.id, rest.getPlatformExportDestination.id],
    deliveriesOf: (id) => sourceOf(rest.listPlatformExportDeliveries, at(id)),
    setStatus: (client, id, status) =>
      client.call(rest.updatePlatformExportDestination, { params: at(id), body: { status } }),
    test: (client, id) => client.call(rest.testPlatformExportDestination, { params: at(id) }),
    remove: (client, id) => client.call(rest.deletePlatformExportDestination, { params: at(id) }),
  };
}
