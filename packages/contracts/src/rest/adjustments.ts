import { z } from 'zod';

import { parseUsd } from '../money';
import { endpoint } from './endpoint';
import { givenInstant, id, instant, listQuery, page, usdAmount } from './fields';

/** Changes of booked usage: separate rows; a record is never rewritten. */

export const ADJUSTMENT_KINDS = ['LATE_SETTLED', 'LATE_CANCELLED', 'CORRECTION', 'RERATE'] as const;

/** Why an amount was changed, for whoever reads the bill. */
export const reason = z.string().trim().min(1).max(500);

const differenceUsd = z
  .string()
  .regex(
    /^-?\d{1,7}(\.\d{1,9})?$/,
    'decimal US dollars with a sign and at most nine places, such as "-0.25"',
  )
  .refine((value) => {
    try {
      return parseUsd(value, { allowNegative: true }) !== 0n;
    } catch {
      return false;
    }
  }, 'a difference other than 0, of at most 9000000 US dollars')
  .meta({ id: 'UsdDifference', description: 'Decimal US dollars with a sign, such as "-0.25".' });

export const usageAdjustment = z
  .object({
    id,
    requestId: id,
    organisationId: id,
    teamId: id.nullable(),
    userId: id.nullable(),
    apiKeyId: id,
    modelId: id.nullable(),
    providerId: id.nullable(),
    mcpServerId: id.nullable(),
    kind: z.enum(ADJUSTMENT_KINDS).meta({
      description:
        'LATE_…: a settle arrived after the hold was abandoned; CORRECTION: by an operator; RERATE: by a corrected price.',
    }),
    reason: z.string(),
    costUsd: usdAmount.meta({
      description: 'The difference in US dollars; negative lowers the charge.',
    }),
    tokensIn: z.int(),
    tokensOut: z.int(),
    createdBy: id.nullable().meta({ description: 'The operator; null: the system.' }),
    authorisedAt: instant.meta({
      description:
        'When the request was authorised; the adjustment counts in the windows of that instant.',
    }),
    createdAt: instant,
  })
  .meta({ id: 'UsageAdjustment' });
export type UsageAdjustment = z.output<typeof usageAdjustment>;

export const correctionCreate = z
  .strictObject({
    costUsd: differenceUsd.meta({
      description: 'The difference to the charge so far, in US dollars; "-0.25" lowers it.',
    }),
    reason,
  })
  .meta({ id: 'UsageCorrectionCreate' });
export type CorrectionCreate = z.output<typeof correctionCreate>;

const tag = 'Usage';

export const correctUsageRecord = endpoint({
  id: 'correctUsageRecord',
  tag,
  summary: 'Correct the charge of one booked request; it cannot become negative',
  method: 'POST',
  path: '/api/admin/organisations/:organisationId/usage/records/:requestId/corrections',
  access: 'platform.usage.correct',
  body: correctionCreate,
  response: usageAdjustment,
  status: 201,
});

export const listUsageAdjustments = endpoint({
  id: 'listUsageAdjustments',
  tag,
  summary: 'Adjustments: late settles, corrections and re-ratings of booked requests; newest first',
  method: 'GET',
  path: '/api/organisations/:organisationId/usage/adjustments',
  access: 'usage.read',
  query: listQuery(['createdAt'], {
    kind: z.enum(ADJUSTMENT_KINDS).optional(),
    requestId: id.optional(),
    from: givenInstant.optional().meta({ description: 'Made at this instant or later.' }),
    to: givenInstant.optional().meta({ description: 'Made before this instant.' }),
  }),
  response: page(usageAdjustment),
});
