import { isValueCounter, limitApplies, windowAt } from '@tollgate/contracts';

import type { Tx } from '../../db';
import { amountOf } from '../records/amounts';
import type { BookedEntry, Booking } from '../records/bookings';
import type { Dimensions } from '../records/entry';
import { findMatchingLimits, scopeIdsOf, type BookedLimit } from './matching-limits';
import {
  addToWindows,
  createWindows,
  WINDOW_KINDS,
  windowsBetween,
  type WindowRow,
  type WindowSpan,
} from './windows';

/**
 * Adds bookings to every window that they fall into. Returns, for each batch, the limits whose
 * counters disagree with the books and must be forgotten.
 *
 * Records and adjustments are already in their tables, and the caller holds the shards' row locks.
 * An existing window row is added to; a missing one is summed from the tables, which include these
 * batches. So each window counts each booking once.
 */
export async function chargeWindows(
  tx: Tx,
  batches: readonly (readonly BookedEntry[])[],
): Promise<Set<string>[]> {
  const dimensions = batches
    .flat()
    .flatMap((one) =>
      countedWithoutBooking(one) ? [one.entry.dimensions] : dimensionsOf(one.bookings),
    );
  const limits = dimensions.length === 0 ? [] : await findMatchingLimits(tx, dimensions);
  const book = createChargeBook(limits);
  const charged: Charged[] = [];
  const forgets = batches.map((booked) => {
    const forget = new Set<string>();
    for (const one of booked) {
      const own = one.bookings.map((booking) => ({ booking, charges: book.chargesOf(booking) }));
      charged.push(...own);
      if (countedWithoutBooking(one)) {
        for (const limit of book.applying(one.entry.dimensions)) forget.add(limit.limitId);
      }
      disagreements(one, own, forget);
    }
    return forget;
  });
  await addBookings(tx, limits, charged);
  return forgets;
}

/**
 * Adds corrections to every window that they fall into. The counters do not know corrections, so
 * every limit with a changed total is returned, to be forgotten there.
 */
export async function chargeAdjustments(
  tx: Tx,
  bookings: readonly Booking[],
): Promise<Set<string>> {
  const limits = await findMatchingLimits(tx, dimensionsOf(bookings));
  const book = createChargeBook(limits);
  const charged = bookings.map((booking) => ({ booking, charges: book.chargesOf(booking) }));
  const forget = new Set<string>();
  for (const { limit, amount } of charged.flatMap(({ charges }) => charges)) {
    if (amount !== 0n) forget.add(limit.limitId);
  }
  await addBookings(tx, limits, charged);
  return forget;
}

/** What a booking adds to one limit, and its window by the limit's present settings. */
interface Charge {
  limit: BookedLimit;
  span: WindowSpan;
  amount: bigint;
}
interface Charged {
  booking: Booking;
  charges: readonly Charge[];
}

async function addBookings(
  tx: Tx,
  limits: readonly BookedLimit[],
  charged: readonly Charged[],
): Promise<void> {
  if (limits.length === 0 || charged.length === 0) return;
  const instants = charged.map(({ booking }) => booking.authorisedAtMs);
  const rows = await windowsBetween(
    tx,
    limits.map((limit) => limit.limitId),
    least(instants),
    -least(instants.map((ms) => -ms)),
  );
  const ledger = new Map<string, WindowRow[]>();
  for (const row of rows) {
    const present = ledger.get(row.limitId);
    if (present === undefined) ledger.set(row.limitId, [row]);
    else present.push(row);
  }

  const additions = { BUDGET: new Map<WindowRow, bigint>(), QUOTA: new Map<WindowRow, bigint>() };
  const missing = new Map<string, WindowSpan>();
  for (const { booking, charges } of charged) {
    for (const { limit, span, amount } of charges) {
      const present = ledger.get(limit.limitId) ?? [];
      const sums = additions[limit.kind];
      for (const row of present) {
        if (contains(row, booking.authorisedAtMs)) sums.set(row, (sums.get(row) ?? 0n) + amount);
      }
      if (!present.some((row) => row.startMs === span.startMs && row.endMs === span.endMs)) {
        missing.set(`${span.limitId}/${span.startMs}/${span.endMs}`, span);
      }
    }
  }
  for (const kind of WINDOW_KINDS) {
    await addToWindows(
      tx,
      kind,
      [...additions[kind]].map(([row, amount]) => ({ ...row, amount })),
    );
  }
  await createWindows(tx, limits, [...missing.values()]);
}

function dimensionsOf(bookings: readonly Booking[]) {
  return bookings.map((booking) => booking.dimensions);
}

function contains(span: WindowSpan, instantMs: number): boolean {
  return instantMs >= span.startMs && instantMs < span.endMs;
}

/**
 * Whether an entry that is not booked may be in a seeded counter. That is so when its request was
 * booked before: a counter seeded while the entry was in the stream counted it. Cancels are never
 * counted.
 */
function countedWithoutBooking({ entry, bookings }: BookedEntry): boolean {
  return bookings.length === 0 && entry.mode !== 'CANCELLED';
}

interface ChargeBook {
  /** The limits that apply to these dimensions. */
  applying(dimensions: Dimensions): BookedLimit[];
  chargesOf(booking: Booking): Charge[];
}

/** Indexes limits by scope, so that a lookup does not scan all limits. */
function createChargeBook(limits: readonly BookedLimit[]): ChargeBook {
  const byScope = new Map<string, BookedLimit[]>();
  for (const limit of limits) {
    const same = byScope.get(limit.scopeId);
    if (same === undefined) byScope.set(limit.scopeId, [limit]);
    else same.push(limit);
  }

  function applying(dimensions: Dimensions): BookedLimit[] {
    const { organisationId, teamId, userId, apiKeyId } = dimensions;
    const subject = { organisationId, teamId: teamId ?? '', userId: userId ?? '', apiKeyId };
    const found: BookedLimit[] = [];
    for (const id of scopeIdsOf(dimensions)) {
      for (const limit of byScope.get(id) ?? []) {
        if (limit.organisationId !== organisationId) continue;
        if (limitApplies(limit, subject, dimensions)) found.push(limit);
      }
    }
    return found;
  }

  // Most bookings of a batch fall into the same window of a limit.
  const latest = new Map<BookedLimit, { timeZone: string; span: WindowSpan }>();
  function spanOf(limit: BookedLimit, { authorisedAtMs, timeZone }: Booking): WindowSpan {
    const last = latest.get(limit);
    if (last?.timeZone === timeZone && contains(last.span, authorisedAtMs)) return last.span;
    const span = { limitId: limit.limitId, ...windowAt(limit, authorisedAtMs, timeZone) };
    latest.set(limit, { timeZone, span });
    return span;
  }

  return {
    applying,
    chargesOf: (booking) =>
      applying(booking.dimensions).map((limit) => ({
        limit,
        span: spanOf(limit, booking),
        amount: amountOf(limit.metric, booking.amounts),
      })),
  };
}

/**
 * Compares what a close added to the counters with what the books added. They differ for a new or
 * changed limit, late usage, or a second close of a request. Forgetting the counter repairs it: the
 * next use reads the books.
 */
function disagreements(
  { entry, adjustments }: BookedEntry,
  charged: readonly Charged[],
  forget: Set<string>,
) {
  const expected: { span: WindowSpan; amount: bigint }[] = [];
  const at = (limitId: string, startMs: number, endMs: number) =>
    expected.find(
      ({ span }) => span.limitId === limitId && span.startMs === startMs && span.endMs === endMs,
    );
  for (const { charges } of charged) {
    for (const { span, amount } of charges) {
      const sum = at(span.limitId, span.startMs, span.endMs);
      if (sum === undefined) expected.push({ span, amount });
      else sum.amount += amount;
      if (adjustments.length > 0) forget.add(span.limitId);
    }
  }
  for (const { limitId, startMs, endMs, amount } of entry.touched) {
    // Parts of a rate limit (`<id>:rpm`) exist only as counters, and values have windows of their own.
    if (limitId.includes(':') || isValueCounter(limitId)) continue;
    const sum = at(limitId, startMs, endMs);
    if ((sum?.amount ?? 0n) !== amount) forget.add(limitId);
    if (sum !== undefined) sum.amount = 0n;
  }
  for (const { span, amount } of expected) {
    if (amount !== 0n) forget.add(span.limitId);
  }
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => (b < a ? b : a), Number.POSITIVE_INFINITY);
}
