import { asQuery, RANGES, spanOfRange, type Range } from '../usage/range';

// The dashboard's queries. The server's prefetch and the components must use the same input, or the
// prefetch is wasted.

export const BUDGETS_QUERY = { status: 'ACTIVE', limit: 100 } as const;
export const LATEST_QUERY = { limit: 10, sort: '-authorisedAt' } as const;

export const REFUSED_QUERY = { sort: '-count', limit: 100 } as const;
export const OPEN_QUERY = { state: 'OPEN', limit: 50 } as const;

const GROUPS_SHOWN = 6;

/** Queries for usage of a range and the range before: by time, by group, and latency. */
export function usageQuestions(range: Range, nowMs: number, timeZone: string, ofOwners: boolean) {
  const span = { ...asQuery(spanOfRange(range, nowMs, timeZone)), compare: 'true' } as const;
  const { bucket } = RANGES[range];
  // Without a bucket the catalog sums whole days, so a range of hours needs its bucket.
  const hours = bucket === 'hour' ? ({ bucket } as const) : {};
  const largest = { ...span, ...hours, top: GROUPS_SHOWN } as const;
  return {
    overTime: { ...span, bucket },
    byModel: { ...largest, groupBy: 'model' },
    byOrganisation: { ...largest, groupBy: 'organisation' },
    // Owners' usage has percentiles by day, not by hour.
    latency: {
      ...span,
      bucket: ofOwners && bucket === 'hour' ? 'day' : bucket,
      latency: 'true',
    },
  } as const;
}
