import { z } from 'zod';

import { reason } from './adjustments';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';
import { priceList, priceListCreate } from './price-amounts';
import { RERATE_MAX_DAYS, RERATE_STATUSES } from './rerates';

/** What an organisation asks of the operators: to re-rate requests that were booked at a wrong price. */

export const PRICE_CORRECTION_STATUSES = ['OPEN', 'APPROVED', 'DECLINED'] as const;

/** The most open requests of one organisation. */
export const PRICE_CORRECTIONS_OPEN = 20;

export const priceCorrection = z
  .object({
    id,
    organisationId: id,
    modelId: id,
    modelName: z.string(),
    from: instant,
    to: instant,
    price: priceList.meta({ description: 'The price that the organisation believes to be right.' }),
    reason: z.string(),
    requests: z.int().meta({
      description:
        'Requests that were booked in the hours of the period when it was asked for, from the rollups.',
    }),
    chargedUsd: usdAmount.meta({ description: 'What these requests had cost then.' }),
    status: z.enum(PRICE_CORRECTION_STATUSES),
    requestedBy: id,
    requestedByName: z.string().meta({ description: 'The last name of a deleted user.' }),
    answer: z.string().nullable().meta({ description: 'What the operator wrote; null: nothing.' }),
    decidedBy: id.nullable(),
    decidedAt: instant.nullable(),
    rerate: z
      .object({
        id,
        status: z.enum(RERATE_STATUSES),
        records: z.int().meta({ description: 'Records compared so far.' }),
        changed: z.int().meta({ description: 'Records whose cost changes.' }),
        differenceUsd: usdAmount,
      })
      .nullable()
      .meta({ description: 'The re-rating of an approved request.' }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'PriceCorrection' });
export type PriceCorrection = z.output<typeof priceCorrection>;

export const priceCorrectionCreate = z
  .strictObject({
    modelId: id,
    from: givenInstant.meta({ description: 'Requests authorised at this instant or later.' }),
    to: givenInstant
      .optional()
      .meta({ description: 'Requests authorised before this instant; absent: until now.' }),
    price: priceListCreate.meta({ description: 'The price that you believe to be right.' }),
    reason: reason.meta({ description: 'Why the booked price is wrong.' }),
  })
  .meta({ id: 'PriceCorrectionCreate' });

const tag = 'Usage';
const root = '/api/organisations/:organisationId/price-corrections';
const ofPlatform = '/api/admin/price-corrections';
const onePlatform = `${ofPlatform}/:priceCorrectionId` as const;
const query = listQuery(['createdAt'], { status: z.enum(PRICE_CORRECTION_STATUSES).optional() });

export const listPriceCorrections = endpoint({
  id: 'listPriceCorrections',
  tag,
  summary: 'Price corrections that the organisation has asked for, newest first',
  method: 'GET',
  path: root,
  access: 'price-corrections.read',
  query,
  response: page(priceCorrection),
});

export const createPriceCorrection = endpoint({
  id: 'createPriceCorrection',
  tag,
  summary: `Ask the operators to correct the price of booked requests, for at most ${String(RERATE_MAX_DAYS)} days`,
  method: 'POST',
  path: root,
  access: 'price-corrections.write',
  body: priceCorrectionCreate,
  response: priceCorrection,
  status: 201,
});

export const getPriceCorrection = endpoint({
  id: 'getPriceCorrection',
  tag,
  summary: 'One price correction that was asked for, with its state',
  method: 'GET',
  path: `${root}/:priceCorrectionId`,
  access: 'price-corrections.read',
  response: priceCorrection,
  etag: true,
});

export const withdrawPriceCorrection = endpoint({
  id: 'withdrawPriceCorrection',
  tag,
  summary: 'Withdraw a price correction that nobody has decided about',
  method: 'DELETE',
  path: `${root}/:priceCorrectionId`,
  access: 'price-corrections.write',
});

export const listPlatformPriceCorrections = endpoint({
  id: 'listPlatformPriceCorrections',
  tag,
  summary: 'Price corrections that organisations have asked for, newest first',
  method: 'GET',
  path: ofPlatform,
  access: 'platform.usage.correct',
  query,
  response: page(priceCorrection),
});

export const approvePriceCorrection = endpoint({
  id: 'approvePriceCorrection',
  tag,
  summary: 'Approve a price correction: its re-rating starts in the background',
  method: 'POST',
  path: `${onePlatform}/approve`,
  access: 'platform.usage.correct',
  body: z
    .strictObject({
      answer: reason.optional().meta({ description: 'What the organisation reads.' }),
    })
    .meta({ id: 'PriceCorrectionApprove' }),
  response: priceCorrection,
  etag: true,
});

export const declinePriceCorrection = endpoint({
  id: 'declinePriceCorrection',
  tag,
  summary: 'Decline a price correction, with the reason that the organisation reads',
  method: 'POST',
  path: `${onePlatform}/decline`,
  access: 'platform.usage.correct',
  body: z
    .strictObject({ answer: reason.meta({ description: 'What the organisation reads.' }) })
    .meta({ id: 'PriceCorrectionDecline' }),
  response: priceCorrection,
  etag: true,
});
