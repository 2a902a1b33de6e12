import { windowAt, type rest } from '@tollgate/contracts';

import { instantIn, localIn } from '../models/zoned';

// The selected period, split into buckets of the organisation's calendar.

export const RANGES = {
  '24h': { label: '24 h', words: 'the last 24 hours', bucket: 'hour', buckets: 24 },
  '7d': { label: '7 d', words: 'the last 7 days', bucket: 'day', buckets: 7 },
  '30d': { label: '30 d', words: 'the last 30 days', bucket: 'day', buckets: 30 },
  '90d': { label: '90 d', words: 'the last 90 days', bucket: 'day', buckets: 90 },
  '12m': { label: '12 m', words: 'the last 12 months', bucket: 'month', buckets: 12 },
} as const satisfies Record<
  string,
  { label: string; words: string; bucket: rest.ExplorerBucket; buckets: number }
>;
export type Range = keyof typeof RANGES;

export const DEFAULT_RANGE: Range = '30d';

export function isRange(text: string | null | undefined): text is Range {
  return text !== null && text !== undefined && Object.hasOwn(RANGES, text);
}

export function rangeOf(text: string | null | undefined): Range {
  return isRange(text) ? text : DEFAULT_RANGE;
}

/** `endMs` is exclusive. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

const DAY_MS = 86_400_000;

export function isLongerThan({ startMs, endMs }: Span, days: number): boolean {
  return endMs - startMs > days * DAY_MS;
}

const SPECS = {
  hour: { windowSeconds: 3_600 },
  day: { period: 'DAILY' },
  month: { period: 'MONTHLY' },
} as const;

/** The buckets of a range, oldest first. The last one contains `nowMs`. */
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

/**
 * From the start of the first bucket to the end of the last one. It changes per bucket, not per
 * millisecond, so that queries stay cached.
 */
export function spanOfRange(range: Range, nowMs: number, timeZone: string): Span {
  const spans = bucketsOf(range, nowMs, timeZone);
  return { startMs: spans[0]?.startMs ?? nowMs, endMs: spans.at(-1)?.endMs ?? nowMs };
}

/** Above the catalog's own maximum. */
const MOST_BUCKETS = 4_000;

/** The buckets that overlap a period, oldest first, clipped to it. */
export function bucketsBetween(span: Span, bucket: rest.ExplorerBucket, timeZone: string): Span[] {
  const spans: Span[] = [];
  let atMs = span.startMs;
  while (atMs < span.endMs && spans.length < MOST_BUCKETS) {
    const { endMs } = windowAt(SPECS[bucket], atMs, timeZone);
    spans.push({ startMs: atMs, endMs: Math.min(endMs, span.endMs) });
    atMs = endMs;
  }
  return spans;
}

/** The local day of an instant. */
export function dayAt(atMs: number, timeZone: string): Span {
  return windowAt(SPECS.day, atMs, timeZone);
}

/** From the first to the last of some buckets. */
export function spanOfBuckets(spans: readonly Span[], first: number, last: number): Span {
  return { startMs: spans[first]?.startMs ?? 0, endMs: spans[last]?.endMs ?? 0 };
}

const HOUR = /^(19[7-9]\d|20\d\d)-\d\d-\d\dT\d\d:00Z$/;

/** Whether an edge of a period in the address is a full hour, and not a day. */
export function isHour(text: string | undefined): boolean {
  return text !== undefined && HOUR.test(text);
}

const DAY = /^(19[7-9]\d|20\d\d)-\d\d-\d\d$/;

/** "2026-03-29" is a day in the time zone; "2026-03-29T14:00Z", which a chart of hours writes, is an instant. */
export function edgeOf(text: string | undefined, timeZone: string): Span | undefined {
  if (text === undefined) return undefined;
  if (isHour(text)) {
    const atMs = Date.parse(text);
    return Number.isNaN(atMs) ? undefined : { startMs: atMs, endMs: atMs };
  }
  if (!DAY.test(text)) return undefined;
  const noonMs = Date.parse(instantIn(`${text}T12:00:00`, timeZone));
  return Number.isNaN(noonMs) ? undefined : dayAt(noonMs, timeZone);
}

/** The address's parameters for the period of some buckets: days, or full hours. */
export function periodOf(
  span: Span,
  bucket: rest.ExplorerBucket,
  timeZone: string,
): { range: 'custom'; from: string; to: string; bucket: undefined } {
  const edge = (ms: number): string =>
    bucket === 'hour'
      ? `${new Date(ms).toISOString().slice(0, 13)}:00Z`
      : localIn(new Date(ms).toISOString(), timeZone).slice(0, 10);
  const { startMs, endMs } = span;
  return {
    range: 'custom',
    from: edge(startMs),
    // The last day is part of the period, the last instant is not.
    to: edge(bucket === 'hour' ? endMs : endMs - 1),
    bucket: undefined,
  };
}

export function asQuery({ startMs, endMs }: Span): { from: string; to: string } {
  return { from: new Date(startMs).toISOString(), to: new Date(endMs).toISOString() };
}

/** One value per bucket, undefined without usage. Values outside all buckets are dropped. */
export function fill<Row extends { readonly start: string }>(
  spans: readonly Span[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const filled = Array.from<Row | undefined>({ length: spans.length });
  for (const row of rows) {
    const atMs = Date.parse(row.start);
    // The row of a clipped bucket has the start of the whole bucket.
    const index = spans.findIndex(({ endMs }) => atMs < endMs);
    if (index >= 0) filled[index] = row;
  }
  return filled;
}
