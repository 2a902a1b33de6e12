import { z } from 'zod';

import { reason } from './adjustments';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { priceList, priceListCreate } from './price-amounts';

/** Re-rating: applies a corrected price to the usage booked in a period. */

export const RERATE_STATUSES = ['PENDING', 'RUNNING', 'DONE', 'FAILED'] as const;

/** The longest period of one re-rating. */
export const RERATE_MAX_DAYS = 400;

export const rerate = z
  .object({
    id,
    organisationId: id,
    modelId: id.nullable(),
    from: instant,
    to: instant,
    price: priceList.nullable(),
    dryRun: z.boolean(),
    reason: z.string(),
    status: z.enum(RERATE_STATUSES),
    records: z.int().meta({ description: 'Records compared so far.' }),
    changed: z.int().meta({ description: 'Records whose cost changes.' }),
    held: z.int().meta({
      description: 'Abandoned requests, which are charged what was held; they are not changed.',
    }),
    otherwiseCharged: z.int().meta({
      description:
        'Records whose charge does not follow from their own price; they are not changed.',
    }),
    differenceUsd: usdAmount,
    months: z
      .array(z.object({ start: instant, records: z.int(), differenceUsd: usdAmount }))
      .meta({ description: "By month in the organisation's time zone." }),
    error: z.string().nullable().meta({ description: 'Why the last batch failed.' }),
    createdBy: id,
    createdAt: instant,
    finishedAt: instant.nullable(),
  })
  .meta({ id: 'UsageRerate' });
export type Rerate = z.output<typeof rerate>;

export const rerateCreate = z
  .strictObject({
    modelId: id
      .optional()
      .meta({ description: 'Absent: every model whose price was ever corrected.' }),
    from: givenInstant.meta({ description: 'Requests authorised at this instant or later.' }),
    to: givenInstant.meta({ description: 'Requests authorised before this instant.' }),
    price: priceListCreate.optional().meta({
      description:
        'The correct price. Absent: earlier corrected prices are applied to usage booked since.',
    }),
    dryRun: z
      .boolean()
      .default(false)
      .meta({ description: 'Only count the records that would change. Default: false.' }),
    reason,
  })
  .refine((value) => Date.parse(value.from) < Date.parse(value.to), {
    path: ['from'],
    message: 'does not lie before `to`',
  })
  .refine(
    (value) => Date.parse(value.to) - Date.parse(value.from) <= RERATE_MAX_DAYS * 86_400_000,
    { path: ['to'], message: `a period has at most ${RERATE_MAX_DAYS} days` },
  )
  .refine((value) => value.price === undefined || value.modelId !== undefined, {
    path: ['modelId'],
    message: 'a price is that of one model',
  })
  .meta({ id: 'UsageRerateCreate' });
export type RerateCreate = z.output<typeof rerateCreate>;

const root = '/api/admin/organisations/:organisationId/usage/rerates';
const tag = 'Usage';
const access = 'platform.usage.correct';

export const createRerate = endpoint({
  id: 'createRerate',
  tag,
  summary: 'Re-rate a period by a corrected price, in the background',
  method: 'POST',
  path: root,
  access,
  body: rerateCreate,
  response: rerate,
  status: 201,
});

export const listRerates = endpoint({
  id: 'listRerates',
  tag,
  summary: 'Re-ratings, newest first',
  method: 'GET',
  path: root,
  access,
  query: listQuery(['createdAt'], { status: z.enum(RERATE_STATUSES).optional() }),
  response: page(rerate),
});

export const getRerate = endpoint({
  id: 'getRerate',
  tag,
  summary: 'One re-rating with its progress',
  method: 'GET',
  path: `${root}/:rerateId`,
  access,
  response: rerate,
});
