import { windowAt, type rest } from '@tollgate/contracts';

// The time a dashboard looks at, cut into buckets as the organisation's own calendar has them.

export const RANGES = {
  '24h': { label: '24 h', words: 'the last 24 hours', bucket: 'hour', buckets: 24 },
  '7d': { label: '7 d', words: 'the last 7 days', bucket: 'day', buckets: 7 },
  '30d': { label: '30 d', words: 'the last 30 days', bucket: 'day', buckets: 30 },
  '90d': { label: '90 d', words: 'the last 90 days', bucket: 'day', buckets: 90 },
  '12m': { label: '12 m', words: 'the last 12 months', bucket: 'month', buckets: 12 },
} as const satisfies Record<
  string,
  { label: string; words: string; bucket: rest.RollupBucket; buckets: number }
>;
export type Range = keyof typeof RANGES;

export const DEFAULT_RANGE: Range = '30d';

export function rangeOf(text: string | null | undefined): Range {
  return text !== null && text !== undefined && Object.hasOwn(RANGES, text)
    ? (text as Range)
    : DEFAULT_RANGE;
}

export type Span = { readonly startMs: number; readonly endMs: number };

const SPECS = {
  hour: { windowSeconds: 3_600 },
  day: { period: 'DAILY' },
  month: { period: 'MONTHLY' },
} as const;

/** The buckets of a range, oldest first; the last is the one that `nowMs` is in. */
export function bucketsOf(range: Range, nowMs: number, timeZone: string): Span[] {
  const { bucket, buckets } = RANGES[range];
  const spans: Span[] = [];
  let atMs = nowMs;
  while (spans.length < buckets) {
    const span = windowAt(SPECS[bucket], atMs, timeZone);
    spans.unshift(span);
    atMs = span.startMs - 1;
  }
  return spans;
}

/** What is asked of the catalog. It changes with the bucket, not with every moment. */
export function rollupQuery(
  range: Range,
  nowMs: number,
  timeZone: string,
): { from: string; to: string; bucket: rest.RollupBucket } {
  const spans = bucketsOf(range, nowMs, timeZone);
  return {
    from: new Date(spans[0]?.startMs ?? nowMs).toISOString(),
    to: new Date(spans.at(-1)?.endMs ?? nowMs).toISOString(),
    bucket: RANGES[range].bucket,
  };
}

type Row = rest.UsageRollup['data'][number];

/** One row per bucket, undefined where nothing was used. Rows outside of all buckets are left out. */
export function fill(spans: readonly Span[], rows: readonly Row[]): (Row | undefined)[] {
  const timed = rows.flatMap((row) =>
    row.start === null ? [] : [{ row, atMs: Date.parse(row.start) }],
  );
  return spans.map(
    ({ startMs, endMs }) => timed.find(({ atMs }) => atMs >= startMs && atMs < endMs)?.row,
  );
}
