import { z } from 'zod';

import { endpoint } from './endpoint';
import { givenInstant } from './fields';
import { recordFilters } from './usage';

/** The longest range of one export of usage records: a quarter. */
export const USAGE_EXPORT_DAYS = 92;

export const exportUsageRecords = endpoint({
  id: 'exportUsageRecords',
  tag: 'Usage',
  summary: `Usage records as CSV, oldest first: at most ${USAGE_EXPORT_DAYS} days for each export`,
  method: 'GET',
  path: '/api/organisations/:organisationId/usage/records/export',
  access: 'usage.read',
  query: z.strictObject({
    from: givenInstant.optional().meta({ description: 'Absent: 30 days before `to`.' }),
    to: givenInstant.optional().meta({ description: 'Absent: now.' }),
    ...recordFilters,
  }),
  response: z.string(),
  produces: 'text/csv',
});
