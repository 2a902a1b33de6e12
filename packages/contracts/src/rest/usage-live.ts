import { z } from 'zod';

import { endpoint } from './endpoint';
import { recordFilters, usageRecord } from './usage';

/** Rows of one message, and of the first one. */
export const LIVE_ROWS = 100;

/** What an event of the stream has as its data. */
export const liveRecords = z
  .object({
    data: z.array(usageRecord).meta({ description: 'Newest first.' }),
    more: z.boolean().meta({
      description: 'There may be further new records than these; lists and exports have them all.',
    }),
    position: z
      .string()
      .meta({ description: 'Give it as `after` to continue behind these records.' }),
  })
  .meta({ id: 'LiveUsageRecords' });
export type LiveRecords = z.output<typeof liveRecords>;

export const watchUsageRecords = endpoint({
  id: 'watchUsageRecords',
  tag: 'Usage',
  summary: 'New usage records as server-sent events, for one minute; then call again with `after`',
  method: 'GET',
  path: '/api/organisations/:organisationId/usage/records/live',
  access: 'usage.read',
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,18}$/, 'a position of an event')
      .optional()
      .meta({ description: 'Absent: begins with the newest records of the last 15 minutes.' }),
    ...recordFilters,
  }),
  response: z.string().meta({
    description:
      'Events named `records`; their data is a LiveUsageRecords object. The event `end` says that the stream ends as planned.',
  }),
  produces: 'text/event-stream',
});
