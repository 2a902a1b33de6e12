import { z } from 'zod';

import {
  ALERT_DELIVERY_STATUSES,
  ALERT_DESTINATION_KINDS,
  ALERT_KINDS,
  ALERT_SUBJECT_TYPES,
} from '../alerts';
import {
  count,
  email,
  id,
  instant,
  name,
  page,
  patchOf,
  SWITCH_STATUSES,
  usdAmount,
} from './fields';

/** The destinations of alerts' messages, and the log. */

const status = z.enum(SWITCH_STATUSES);

const destinationUrl = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .meta({
    description:
      'Without user name, query and fragment. Private addresses are refused unless UPSTREAM_ALLOWED_CIDRS allows them.',
  });

export const alertDestination = z
  .object({
    id,
    organisationId: id.nullable().meta({ description: 'Null: of the platform.' }),
    name: z.string(),
    kind: z.enum(ALERT_DESTINATION_KINDS),
    email: z.string().nullable().meta({ description: 'Of kind EMAIL.' }),
    url: z.string().nullable().meta({ description: "Of kind WEBHOOK. Slack's URL is a secret." }),
    secretPreview: z.string().nullable().meta({
      description: 'Of the signing secret of a WEBHOOK, or of the URL of SLACK.',
    }),
    status: status.meta({ description: 'A disabled destination gets no messages.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'AlertDestination' });
export type AlertDestination = z.output<typeof alertDestination>;

export const alertDestinationCreate = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('EMAIL'), name, email }),
    z.strictObject({ kind: z.literal('WEBHOOK'), name, url: destinationUrl }),
    z.strictObject({ kind: z.literal('SLACK'), name, url: destinationUrl }),
  ])
  .meta({
    id: 'AlertDestinationCreate',
    description:
      'EMAIL: a letter to one address. WEBHOOK: JSON with a Standard Webhooks signature. SLACK: an incoming webhook of Slack, or of a service that takes its format; the URL is stored encrypted.',
  });
export type AlertDestinationCreate = z.output<typeof alertDestinationCreate>;

export const alertDestinationPatch = patchOf({ name, email, url: destinationUrl, status }).meta({
  id: 'AlertDestinationPatch',
  description: 'Send `email` for EMAIL only, and `url` for WEBHOOK and SLACK only.',
});

/** What signs a WEBHOOK; shown once. */
export const alertDestinationSecret = z
  .object({
    destination: alertDestination,
    secret: z.string().nullable().meta({
      description: 'The signing secret of a WEBHOOK, shown only here. Null for other kinds.',
    }),
  })
  .meta({ id: 'AlertDestinationSecret' });
export type AlertDestinationSecret = z.output<typeof alertDestinationSecret>;

export const alertTestResult = z
  .object({
    delivered: z.boolean(),
    error: z.string().nullable().meta({ description: 'Why it was not delivered.' }),
  })
  .meta({ id: 'AlertTestResult' });
export type AlertTestResult = z.output<typeof alertTestResult>;

/** An amount of a limit or count; for a budget or a quota of COST decimal US dollars. */
const amount = z.union([count, usdAmount]);

const alertFields = {
  id: id.meta({ description: 'Also the `webhook-id` of its messages.' }),
  organisationId: id.nullable().meta({ description: 'Null: of the platform.' }),
  ruleId: id,
  ruleName: z.string().meta({ description: 'As it was when the alert was raised.' }),
  kind: z.enum(ALERT_KINDS),
  subject: z.object({
    type: z.enum(ALERT_SUBJECT_TYPES),
    id: id.nullable().meta({ description: 'Null for LEDGER.' }),
    name: z.string(),
  }),
  windowStart: instant,
  windowEnd: instant,
  threshold: z.int().meta({
    description: 'A percentage, a number of requests or entries, or seconds: what the rule names.',
  }),
  value: amount.meta({
    description:
      'What was found: what is spent or used, the forecast, a number of requests or entries, a percentage, or seconds.',
  }),
  limit: amount.nullable().meta({ description: 'Of a budget or quota at that time.' }),
  title: z.string(),
  text: z.string(),
  createdAt: instant,
};

export const alertMessage = z
  .object({
    type: z.enum(['alert.raised', 'alert.test']),
    timestamp: instant,
    data: z.object(alertFields),
    url: z.string().meta({ description: 'Its page in the console.' }),
  })
  .meta({ id: 'AlertMessage', description: 'The body of a webhook.' });
export type AlertMessage = z.output<typeof alertMessage>;

export const alert = z
  .object({
    ...alertFields,
    seenAt: instant.nullable(),
    seenBy: id.nullable(),
    deliveries: z.object({
      pending: z.int(),
      delivered: z.int(),
      failed: z.int(),
      suppressed: z.int(),
    }),
  })
  .meta({ id: 'Alert' });
export type Alert = z.output<typeof alert>;

export const alertDelivery = z
  .object({
    id,
    destinationId: id.nullable().meta({ description: 'Null: the destination was deleted.' }),
    destinationName: z.string(),
    destinationKind: z.enum(ALERT_DESTINATION_KINDS),
    status: z.enum(ALERT_DELIVERY_STATUSES),
    attempts: z.int(),
    nextAttemptAt: instant.nullable().meta({ description: 'Null unless it is PENDING.' }),
    lastError: z.string().nullable(),
    deliveredAt: instant.nullable(),
    createdAt: instant,
  })
  .meta({
    id: 'AlertDelivery',
    description:
      'SUPPRESSED: the destination had too many messages within an hour. FAILED: given up.',
  });
export type AlertDelivery = z.output<typeof alertDelivery>;

export const alertDetail = z
  .object({ ...alert.shape, log: z.array(alertDelivery) })
  .meta({ id: 'AlertDetail' });
export type AlertDetail = z.output<typeof alertDetail>;

export const alertsSeen = z
  .object({ seen: z.int().meta({ description: 'How many alerts were not seen before.' }) })
  .meta({ id: 'AlertsSeen' });

export const alertDestinations = page(alertDestination);
export const alerts = page(alert);
