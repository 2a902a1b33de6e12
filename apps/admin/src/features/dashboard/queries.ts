import { asQuery, RANGES, spanOfRange, type Range } from '../usage/range';

// What the dashboard asks for: the page's server and its components must ask for the same, or what
// was read ahead would be read again.

export const BUDGETS_QUERY = { status: 'ACTIVE', limit: 100 } as const;
export const LATEST_QUERY = { limit: 10, sort: '-authorisedAt' } as const;

const GROUPS_SHOWN = 6;

/** Usage of a range beside the one before: by time, by model or organisation, and how long it took. */
export function usageQuestions(range: Range, nowMs: number, timeZone: string, ofOwners: boolean) {
  const span = { ...asQuery(spanOfRange(range, nowMs, timeZone)), compare: 'true' } as const;
  const { bucket } = RANGES[range];
  // Without a bucket, days are added up; of hours, just those that are shown.
  const hours = bucket === 'hour' ? ({ bucket } as const) : {};
  const largest = { ...span, ...hours, top: GROUPS_SHOWN } as const;
  return {
    overTime: { ...span, bucket },
    byModel: { ...largest, groupBy: 'model' },
    byOrganisation: { ...largest, groupBy: 'organisation' },
    // Hours of owners have no percentiles; days have.
    latency: {
      ...span,
      bucket: ofOwners && bucket === 'hour' ? 'day' : bucket,
      latency: 'true',
    },
  } as const;
}
