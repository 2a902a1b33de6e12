import { windowAt, type rest } from '@tollgate/contracts';

import { localDate } from '../../ledger/rollups/booking-groups';
import { invalid } from '../../rest/field-errors';

/** The span of a question, and the rollup segments that answer it with the fewest rows. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 30;

/** Rows of one period with `starts`, as text without a zone, in [from, to). */
export interface Segment {
  readonly period: 'HOUR' | 'DAY' | 'MONTH';
  readonly from: string;
  readonly to: string;
}

/** A span of instants, in milliseconds. */
export interface Between {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Span extends Between {
  readonly segments: readonly Segment[];
}

interface Asked {
  from?: string | undefined;
  to?: string | undefined;
}
type Bucket = rest.ExplorerBucket | undefined;

/** The requested span, widened to full hours or days, and the preceding span of the same length. */
export function spansOf(
  asked: Asked,
  bucket: Bucket,
  timeZone: string,
  nowMs: number,
): { span: Span; before: Span; days: number } {
  const toMs = asked.to === undefined ? nowMs : Date.parse(asked.to);
  const fromMs = asked.from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : Date.parse(asked.from);
  if (fromMs >= toMs) throw invalid('from', 'must be before `to`');
  return bucket === 'hour' ? hours(fromMs, toMs) : dates(fromMs, toMs, bucket, timeZone);
}

function hours(fromMs: number, toMs: number): ReturnType<typeof spansOf> {
  const from = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const to = Math.ceil(toMs / HOUR_MS) * HOUR_MS;
  const span = (a: number, b: number): Span => ({
    fromMs: a,
    toMs: b,
    segments: [{ period: 'HOUR', from: hourText(a), to: hourText(b) }],
  });
  return {
    span: span(from, to),
    before: span(2 * from - to, from),
    days: Math.floor((toMs - fromMs) / HOUR_MS) / 24,
  };
}

/** Dates are represented by their midnight in UTC. */
function dates(
  fromMs: number,
  toMs: number,
  bucket: Bucket,
  timeZone: string,
): ReturnType<typeof spansOf> {
  const first = Date.parse(localDate(fromMs, timeZone));
  const after = Date.parse(localDate(toMs - 1, timeZone)) + DAY_MS;
  const span = (a: number, b: number): Span => ({
    fromMs: startOf(a, timeZone),
    toMs: startOf(b, timeZone),
    // A span before 1970 becomes one segment without rows.
    segments: a >= b ? [day(a, b)] : bucket === 'day' ? days(a, b) : months(a, b),
  });
  return {
    span: span(first, after),
    before: span(Math.max(0, dayBefore(first, after)), first),
    days: (after - first) / DAY_MS,
  };
}

/** Whole months are compared with as many preceding months, other spans with as many days. */
function dayBefore(first: number, after: number): number {
  const [a, b] = [new Date(first), new Date(after)];
  if (a.getUTCDate() !== 1 || b.getUTCDate() !== 1) return 2 * first - after;
  const count = monthOf(b) - monthOf(a);
  return Date.UTC(a.getUTCFullYear(), a.getUTCMonth() - count);
}

const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();

const day = (from: number, to: number): Segment => ({
  period: 'DAY',
  from: hourText(from),
  to: hourText(to),
});

const days = (from: number, to: number): Segment[] => (from < to ? [day(from, to)] : []);

/** Full months by month, and the days at both ends by day. */
function months(from: number, to: number): Segment[] {
  const [a, b] = [new Date(from), new Date(to)];
  const first = Date.UTC(a.getUTCFullYear(), a.getUTCMonth() + (a.getUTCDate() === 1 ? 0 : 1));
  const last = Date.UTC(b.getUTCFullYear(), b.getUTCMonth());
  if (first >= last) return days(from, to);
  return [
    ...days(from, first),
    { period: 'MONTH', from: hourText(first), to: hourText(last) },
    ...days(last, to),
  ];
}

/**
 * The instant at which a date begins in a zone. Noon UTC is within that date in most zones; further
 * guesses cover the rest.
 */
function startOf(date: number, timeZone: string): number {
  const text = hourText(date).slice(0, 10);
  for (const guess of [date + 12 * HOUR_MS, date, date + DAY_MS - 1, date - 12 * HOUR_MS]) {
    if (guess >= 0 && localDate(guess, timeZone) === text) {
      return windowAt({ period: 'DAILY' }, guess, timeZone).startMs;
    }
  }
  return Math.max(0, date);
}

const hourText = (ms: number): string =>
  `${new Date(Math.max(0, ms)).toISOString().slice(0, 13)}:00`;
