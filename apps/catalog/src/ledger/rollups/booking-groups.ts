import { isTimeZone, OUTCOMES, windowAt, type Outcome } from '@tollgate/contracts';

import {
  addTo,
  amountsOf,
  minus,
  plus,
  ZERO_AMOUNTS,
  type Amounts,
  type Sums,
} from '../records/amounts';
import type { Booking } from '../records/bookings';
import { instantText } from '../records/column-arrays';
import type { Dimensions } from '../records/entry';
import { bucketOf, LATENCY_BUCKETS } from './latency';
import { PERIOD_COUNTS } from './period-sql';

/** Sums the bookings of a batch by their dimensions before they are added to rollup rows. */

export const COUNTED_STATUSES = [...OUTCOMES, 'ABANDONED'] as const;
export type End = (typeof COUNTED_STATUSES)[number];

/** The sum of bookings that go into the same row. */
export interface Sum {
  amounts: Sums;
  latencyMs: number;
  latencyCount: number;
  firstTokenMs: number;
  firstTokenCount: number;
  /** In the order of `PERIOD_COUNTS`. */
  counts: number[];
  /** In the order of `COUNTED_STATUSES`. */
  ends: number[];
}

export interface Detail {
  dimensions: Dimensions;
  operation: string;
  status: End;
}

/**
 * `hour` is in UTC (`2026-11-22T13:00`), `date` is a day of the organisation's calendar
 * (`2026-11-22`).
 */
export type Group = Sum & Detail & { hourMs: number; hour: string; date: string };

export function groupBookings(bookings: readonly Booking[]): Group[] {
  const groups = new Map<string, Group>();
  for (const booking of bookings) {
    const zone = booking.bookedZone ?? booking.timeZone;
    const hourMs = Math.floor(booking.authorisedAtMs / HOUR_MS) * HOUR_MS;
    const date = localDate(booking.authorisedAtMs, isTimeZone(zone) ? zone : 'UTC');
    for (const { amounts, measured, ends, ...detail } of partsOf(booking)) {
      const key = `${hourMs}/${date}/${detailKey(detail)}`;
      let group = groups.get(key);
      if (group === undefined) {
        const hour = instantText(hourMs).slice(0, 16);
        groups.set(key, (group = { ...emptySum(), ...detail, hourMs, hour, date }));
      }
      addTo(group.amounts, amounts);
      if (measured) measure(group, booking);
      for (const [at, end] of COUNTED_STATUSES.entries()) count(group.ends, at, ends[end] ?? 0);
    }
  }
  return [...groups.values()];
}

const HOUR_MS = 3_600_000;

type Part = Detail & { amounts: Amounts; measured: boolean; ends: Booking['ends'] };

/**
 * Late usage subtracts the charge of an abandoned request from ABANDONED and books the new status.
 */
function partsOf({ dimensions, operation, status, amounts, leaves, ends }: Booking): Part[] {
  const detail = { dimensions, operation };
  if (leaves === undefined) return [{ ...detail, status, amounts, measured: true, ends }];
  return [
    {
      ...detail,
      status: 'ABANDONED',
      amounts: minus(ZERO_AMOUNTS, leaves),
      measured: false,
      ends: {},
    },
    { ...detail, status, amounts: plus(amounts, leaves), measured: true, ends },
  ];
}

const emptySum = (): Sum => ({
  amounts: amountsOf(() => 0n),
  latencyMs: 0,
  latencyCount: 0,
  firstTokenMs: 0,
  firstTokenCount: 0,
  counts: PERIOD_COUNTS.map(() => 0),
  ends: COUNTED_STATUSES.map(() => 0),
});

function measure(sum: Sum, { latencyMs, firstTokenMs }: Booking): void {
  if (latencyMs === undefined) return;
  sum.latencyMs += latencyMs;
  sum.latencyCount += 1;
  count(sum.counts, bucketOf(latencyMs), 1);
  if (firstTokenMs === undefined) return;
  sum.firstTokenMs += firstTokenMs;
  sum.firstTokenCount += 1;
  count(sum.counts, LATENCY_BUCKETS + bucketOf(firstTokenMs), 1);
}

function count(counts: number[], at: number, times: number): void {
  counts[at] = (counts[at] ?? 0) + times;
}

/**
 * Sums by the key of the row that they go into. Most rows get a single booking, which is passed on
 * without a copy; a sum is allocated for the second one.
 */
export function sumByKey(
  groups: readonly Group[],
  keyOf: (group: Group) => string,
): ReadonlyMap<string, Group> {
  const rows = new Map<string, Group>();
  const sums = new Set<Group>();
  for (const group of groups) {
    const key = keyOf(group);
    let row = rows.get(key);
    if (row === undefined) {
      rows.set(key, group);
      continue;
    }
    if (!sums.has(row)) {
      const sum = emptySum();
      addSum(sum, row);
      sums.add((row = { ...row, ...sum }));
      rows.set(key, row);
    }
    addSum(row, group);
  }
  return rows;
}

function addSum(to: Sum, sum: Sum): void {
  addTo(to.amounts, sum.amounts);
  to.latencyMs += sum.latencyMs;
  to.latencyCount += sum.latencyCount;
  to.firstTokenMs += sum.firstTokenMs;
  to.firstTokenCount += sum.firstTokenCount;
  for (const [at, times] of sum.counts.entries()) if (times !== 0) count(to.counts, at, times);
  for (const [at, times] of sum.ends.entries()) count(to.ends, at, times);
}

/** Keys without an MCP server are those of earlier releases, because rows are found by their hash. */
export function detailKey({
  dimensions: { organisationId, teamId, userId, apiKeyId, modelId, providerId, mcpServerId },
  operation,
  status,
}: {
  dimensions: Dimensions;
  operation: string;
  status: Outcome | 'ABANDONED' | '';
}): string {
  const served = `${modelId ?? ''}/${providerId ?? ''}/${operation}/${status}`;
  const server = mcpServerId === null ? '' : `/${mcpServerId}`;
  return `${organisationId}/${teamId ?? ''}/${userId ?? ''}/${apiKeyId}/${served}${server}`;
}

const DATES_KEPT = 1_000;
const dates = new Map<string, string>();

/** `2026-11-22`: the date of an instant in a zone. Cached by the window of that day. */
export function localDate(instantMs: number, timeZone: string): string {
  const { startMs } = windowAt({ period: 'DAILY' }, instantMs, timeZone);
  const key = `${timeZone}/${startMs}`;
  let date = dates.get(key);
  if (date === undefined) {
    if (dates.size >= DATES_KEPT) dates.clear();
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    dates.set(key, (date = format.format(startMs)));
  }
  return date;
}
