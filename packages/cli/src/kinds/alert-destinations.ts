import { ALERT_DESTINATION_KINDS, rest } from '@tollgate/contracts';
import { z } from 'zod';

import { email, name, secretReference, STORED_SECRET } from './fields';
import type { Kind, Place } from './kind';
import { statusPart } from './status-part';

/** Which fields each kind of destination has. */
const FIELDS = { EMAIL: 'email', WEBHOOK: 'url', SLACK: 'secretUrl' } as const;

const { url } = rest.alertDestinationPatch.shape;

const spec = z
  .strictObject({
    kind: z.enum(ALERT_DESTINATION_KINDS),
    email: email.optional().meta({ description: 'Of EMAIL.' }),
    url: url.meta({
      description: 'Of WEBHOOK. Its signing secret is generated, and shown once: --keys-out.',
    }),
    secretUrl: secretReference.optional().meta({
      description: 'Of SLACK: the URL of the incoming webhook, which is a secret.',
    }),
    status: z.enum(rest.SWITCH_STATUSES).default('ACTIVE'),
  })
  .superRefine((given, context) => {
    for (const [kind, field] of Object.entries(FIELDS)) {
      if ((given[field] !== undefined) === (kind === given.kind)) continue;
      const message =
        kind === given.kind ? `is required for kind ${kind}` : `is allowed for kind ${kind} only`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

const operations = ({ organisation }: Place) =>
  organisation === null
    ? {
        create: rest.createPlatformAlertDestination,
        get: rest.getPlatformAlertDestination,
        update: rest.updatePlatformAlertDestination,
        remove: rest.deletePlatformAlertDestination,
      }
    : {
        create: rest.createAlertDestination,
        get: rest.getAlertDestination,
        update: rest.updateAlertDestination,
        remove: rest.deleteAlertDestination,
      };

/** Where messages of alerts go: of an organisation, or of the platform. */
export const alertDestinations: Kind<rest.AlertDestination> = {
  kind: 'AlertDestination',
  level: 'either',
  name,
  repeats: true,
  spec,
  idParameter: 'alertDestinationId',
  platformIdParameter: 'platformAlertDestinationId',
  renamed: { secretUrl: 'url' },
  parts: [statusPart({ schema: spec.shape.status, operations, whenCreated: 'ACTIVE' })],
  secretField: 'secretUrl',
  sampleSecret: 'https://hooks.example.com/',
  showsSecret: (given) => given['kind'] === 'WEBHOOK',
  created: (answer) => {
    const { destination, secret } = rest.alertDestinationSecret.parse(answer);
    return { id: destination.id, secret: secret ?? undefined };
  },
  operations,
  list: (api, { organisation }) =>
    organisation === null
      ? api.all(rest.listPlatformAlertDestinations, {}, { sort: 'createdAt' })
      : api.all(
          rest.listAlertDestinations,
          { organisationId: organisation.id },
          { sort: 'createdAt' },
        ),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  // That of a webhook is its signing secret, which no document has.
  secretPreviewOf: (row) => (row.kind === 'SLACK' ? row.secretPreview : null),
  read: (row) => ({
    name: row.name,
    spec: {
      kind: row.kind,
      ...(row.kind === 'EMAIL' ? { email: row.email } : {}),
      ...(row.kind === 'WEBHOOK' ? { url: row.url } : {}),
      ...(row.kind === 'SLACK' ? { secretUrl: STORED_SECRET } : {}),
      status: row.status,
    },
  }),
  references: () => [],
  body: (given, _ids, destinationName) => {
    const { kind, email: address, url: webhook } = spec.parse(given);
    return {
      kind,
      name: destinationName,
      ...(address === undefined ? {} : { email: address }),
      ...(webhook === undefined ? {} : { url: webhook }),
    };
  },
};
