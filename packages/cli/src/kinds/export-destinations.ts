import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import { name, pick, secretReference, STORED_SECRET, without } from './fields';
import type { Kind, Place } from './kind';
import { statusPart } from './status-part';

const {
  name: _name,
  secret: _secret,
  status: _status,
  ...settings
} = rest.exportDestinationCreate.shape;

const spec = z.strictObject({
  ...settings,
  secret: secretReference.meta({
    description:
      'WEBHOOK: whsec_ and 24 to 64 bytes in base64. S3: the secret access key. A document cannot have one generated.',
  }),
  status: z.enum(['ACTIVE', 'PAUSED']).default('ACTIVE').meta({
    description: 'ACTIVE also resumes a destination that the gateway disabled.',
  }),
});

const operations = ({ organisation }: Place) =>
  organisation === null
    ? {
        create: rest.createPlatformExportDestination,
        get: rest.getPlatformExportDestination,
        update: rest.updatePlatformExportDestination,
        remove: rest.deletePlatformExportDestination,
      }
    : {
        create: rest.createExportDestination,
        get: rest.getExportDestination,
        update: rest.updateExportDestination,
        remove: rest.deleteExportDestination,
      };

/** A destination of records: of an organisation, or of all of them. Its position in them is not part of a document. */
export const exportDestinations: Kind<rest.ExportDestination> = {
  kind: 'ExportDestination',
  level: 'either',
  name,
  repeats: true,
  spec,
  idParameter: 'exportDestinationId',
  platformIdParameter: 'platformExportDestinationId',
  sets: ['records'],
  createOnly: ['startFrom'],
  parts: [statusPart({ schema: spec.shape.status, operations })],
  secretField: 'secret',
  secretBoundTo: ['target.accessKeyId'],
  fixed: ['target.type'],
  operations,
  list: (api, { organisation }) =>
    organisation === null
      ? api.all(rest.listPlatformExportDestinations, {}, { sort: 'createdAt' })
      : api.all(
          rest.listExportDestinations,
          { organisationId: organisation.id },
          { sort: 'createdAt' },
        ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  secretPreviewOf: (row) => row.secretPreview,
  read: (row) => ({
    name: row.name,
    spec: {
      ...pick(row, Object.keys(settings)),
      // The gateway's own state: an active one that fails for too long.
      status: row.status === 'DISABLED' ? 'ACTIVE' : row.status,
      secret: STORED_SECRET,
    },
  }),
  references: () => [],
  body: (given, _ids, destinationName) => ({
    name: destinationName,
    ...without(spec.parse(given), 'secret'),
  }),
};
