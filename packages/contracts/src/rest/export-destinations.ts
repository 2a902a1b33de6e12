import { z } from 'zod';

import { givenInstant, id, instant, name, patchOf } from './fields';
import { upstreamSecret } from './provider-keys';

/**
 * Where usage records and audit events are delivered to, as they are written. An organisation's
 * destination gets its own records; one of the platform gets those of all organisations.
 */

/** What is delivered. The name is `recordType` of a line. */
export const EXPORT_RECORDS = ['USAGE', 'MCP_USAGE', 'ADJUSTMENT', 'AUDIT'] as const;
export type ExportRecord = (typeof EXPORT_RECORDS)[number];

/** Version of the lines. It rises when a field changes its meaning or is removed. */
export const EXPORT_SCHEMA_VERSION = 1;

/**
 * PAUSED: by hand. DISABLED: by the gateway, because every delivery failed for days. Both keep their
 * position, and ACTIVE continues from there.
 */
export const EXPORT_STATUSES = ['ACTIVE', 'PAUSED', 'DISABLED'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

export const EXPORT_BATCH_STATUSES = ['PENDING', 'DELIVERED'] as const;
export type ExportBatchStatus = (typeof EXPORT_BATCH_STATUSES)[number];

/** The most destinations of one organisation, and of the platform. */
export const MAX_EXPORT_DESTINATIONS = 20;
/** Deliveries of a destination that are kept and listed. */
export const EXPORT_DELIVERIES_KEPT = 200;
/** Rows that are counted as waiting; a larger backlog shows this number. */
export const EXPORT_WAITING_COUNTED = 10_000;

const COMPRESSIONS = ['GZIP', 'NONE'] as const;

const webhookTarget = z.strictObject({
  type: z.literal('WEBHOOK'),
  url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .meta({ description: 'Gets a POST with each batch, signed as Standard Webhooks describes.' }),
  compression: z.enum(COMPRESSIONS).default('GZIP').meta({
    description: 'GZIP: the body has content-encoding gzip, and the signature is of these bytes.',
  }),
});

const s3Target = z
  .strictObject({
    type: z.literal('S3'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .max(300)
      .refine((text) => {
        if (!URL.canParse(text)) return false;
        const { pathname, search: query, hash, username, password } = new URL(text);
        return pathname === '/' && [query, hash, username, password].join('') === '';
      }, 'scheme, host and port only: the bucket is a field of its own')
      .meta({ description: 'Such as https://s3.eu-central-1.amazonaws.com.' }),
    region: z
      .string()
      .regex(/^[a-z0-9-]{1,50}$/, 'lower-case letters, digits and hyphens, such as eu-central-1')
      .meta({
        description: 'What the storage expects in signatures; often "auto" or "us-east-1".',
      }),
    bucket: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        '3 to 63 lower-case letters, digits, dots, hyphens',
      ),
    prefix: z
      .string()
      .max(200)
      .regex(/^(?:[A-Za-z0-9_=-][A-Za-z0-9._=-]*(?:\/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*)?$/, {
        error: 'segments of letters, digits and ._=- that begin with no dot, separated by slashes',
      })
      .default('')
      .meta({ description: 'Begins the name of each object; a slash follows it.' }),
    addressing: z.enum(['PATH', 'VIRTUAL_HOST']).default('PATH').meta({
      description:
        'PATH: https://endpoint/bucket/object. VIRTUAL_HOST: https://bucket.endpoint/object.',
    }),
    accessKeyId: z
      .string()
      .min(1)
      .max(200)
      .regex(
        /^[\x21-\x2b\x2d\x2e\x30-\x7e]+$/,
        'printable ASCII without spaces, commas and slashes',
      ),
    compression: z.enum(COMPRESSIONS).default('GZIP'),
  })
  // An address has no names below it.
  .refine(
    ({ addressing, bucket, endpoint }) =>
      addressing === 'PATH' || URL.canParse(endpoint.replace('://', `://${bucket}.`)),
    {
      path: ['addressing'],
      error: 'VIRTUAL_HOST needs an endpoint with a name, not an IP address',
    },
  );

export const exportTarget = z
  .discriminatedUnion('type', [webhookTarget, s3Target])
  .meta({ id: 'ExportTarget' });
export type ExportTarget = z.output<typeof exportTarget>;

export const exportDelivery = z
  .object({
    failures: z.int().meta({ description: 'Failed attempts since the last success.' }),
    failingSince: instant.nullable(),
    lastError: z.string().nullable().meta({ description: 'Of the last failed attempt.' }),
    lastErrorAt: instant.nullable(),
    lastDeliveredAt: instant.nullable(),
    nextAttemptAt: instant.nullable().meta({ description: 'Null while it is not ACTIVE.' }),
    deliveredBatches: z.int(),
    deliveredRows: z.int(),
    waitingRows: z.int().meta({
      description: `Rows that are not delivered, counted up to ${EXPORT_WAITING_COUNTED} for each kind.`,
    }),
    waitingSince: instant
      .nullable()
      .meta({ description: 'The instant of the oldest row that waits; null: none waits.' }),
    measuredAt: instant.nullable().meta({ description: 'When waiting rows were counted.' }),
    removedRows: z.int().meta({
      description: 'Rows that retention removed before they were exported: they never arrive.',
    }),
  })
  .meta({ id: 'ExportDelivery' });

const records = z
  .array(z.enum(EXPORT_RECORDS))
  .min(1)
  .max(EXPORT_RECORDS.length)
  .refine((given) => new Set(given).size === given.length, 'names a kind twice');

export const exportDestination = z
  .object({
    id,
    organisationId: id.nullable().meta({ description: 'Null: of the platform.' }),
    name: z.string(),
    target: exportTarget,
    secretPreview: z.string().nullable(),
    records: z.array(z.enum(EXPORT_RECORDS)),
    startFrom: instant
      .nullable()
      .meta({ description: 'Null: only what was written after the destination was created.' }),
    maxRows: z.int(),
    intervalSeconds: z.int(),
    status: z.enum(EXPORT_STATUSES),
    delivery: exportDelivery,
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'ExportDestination' });
export type ExportDestination = z.output<typeof exportDestination>;

export const exportDestinationCreated = z
  .object({
    ...exportDestination.shape,
    secret: z.string().nullable().meta({
      description: 'The generated secret of a webhook, shown once. Null: the caller gave one.',
    }),
  })
  .meta({ id: 'ExportDestinationCreated' });
export type ExportDestinationCreated = z.output<typeof exportDestinationCreated>;

const settings = {
  name,
  target: exportTarget,
  records: records.meta({
    description:
      'USAGE: usage records. MCP_USAGE: what only requests to MCP servers have; their cost is in USAGE too. ADJUSTMENT: changes of what a record has come to. AUDIT: audit events.',
  }),
  maxRows: z.int().min(1).max(10_000).meta({ description: 'The most rows of a batch.' }),
  intervalSeconds: z.int().min(1).max(3_600).meta({
    description: 'A batch that is not full waits this long for more rows of its kind.',
  }),
  secret: upstreamSecret.meta({
    description:
      'WEBHOOK: whsec_ and 24 to 64 bytes in base64. S3: the secret access key. Stored encrypted.',
  }),
};

const wantedStatus = z.enum(['ACTIVE', 'PAUSED']);

export const exportDestinationCreate = z
  .strictObject({
    ...settings,
    status: wantedStatus.default('ACTIVE').meta({
      description: 'PAUSED delivers nothing until it is ACTIVE. What is written meanwhile waits.',
    }),
    maxRows: settings.maxRows.default(1_000),
    intervalSeconds: settings.intervalSeconds
      .optional()
      .meta({ description: 'Absent: 5 for a webhook, 300 for S3.' }),
    secret: settings.secret
      .optional()
      .meta({ description: 'Absent for a webhook: one is generated. Required for S3.' }),
    startFrom: givenInstant
      .nullable()
      .default(null)
      .meta({ description: 'Delivers rows since this instant first. Null: from now on.' }),
  })
  .meta({ id: 'ExportDestinationCreate' });
export type ExportDestinationCreate = z.output<typeof exportDestinationCreate>;

export const exportDestinationPatch = patchOf({
  ...settings,
  status: wantedStatus.meta({
    description: 'ACTIVE also resumes a disabled destination, from its position.',
  }),
}).meta({ id: 'ExportDestinationPatch' });
export type ExportDestinationPatch = z.output<typeof exportDestinationPatch>;

export const exportTestResult = z
  .object({
    ok: z.boolean(),
    status: z.int().nullable().meta({ description: 'HTTP status; null: there was no answer.' }),
    message: z.string().meta({ description: 'What happened, in one sentence.' }),
    object: z.string().nullable().meta({ description: 'S3: the name of the object.' }),
    durationMs: z.int(),
  })
  .meta({ id: 'ExportTestResult' });
export type ExportTestResult = z.output<typeof exportTestResult>;

export const exportBatch = z
  .object({
    id: id.meta({ description: 'The webhook-id of a webhook, and part of the name of an object.' }),
    number: z.int().meta({ description: 'Counts the batches of the destination, from 1.' }),
    record: z.enum(EXPORT_RECORDS),
    status: z.enum(EXPORT_BATCH_STATUSES),
    rows: z.int(),
    bytes: z.int().meta({ description: 'Of the body as sent.' }),
    attempts: z.int(),
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    createdAt: instant,
    deliveredAt: instant.nullable(),
  })
  .meta({ id: 'ExportBatch' });
export type ExportBatch = z.output<typeof exportBatch>;
