import { limitApplies, windowAt } from '@tollgate/contracts';
import type { Tx } from '../db';
import { amountOf } from './amounts';
import type { Booked, Booking } from './bookings';
import type { Dimensions } from './entry';
import { limitsOf, type BookedLimit } from './limits';
import {
  addToWindows,
  createWindows,
  windowsBetween,
  type WindowRow,
  type WindowSpan,
} from './windows';

/**
 * Charges what was booked to every window it falls into, and answers the limits whose counters no
 * longer agree with the books and must be forgotten.
 *
 * The records and adjustments are in their tables already, and the caller holds the shard's row. A
 * window that has a row is added to; one that has none is summed up from the tables, this batch
 * included. So a window row, whenever it is made, counts each booking once.
 */
export async function chargeWindows(tx: Tx, booked: readonly Booked[]): Promise<Set<string>> {
  const bookings = booked.flatMap((one) => one.bookings);
  const dimensions = booked.flatMap((one) =>
    countedForNothing(one) ? [one.entry.dimensions] : dimensionsOf(one.bookings),
  );
  const limits = dimensions.length === 0 ? [] : await limitsOf(tx, dimensions);
  const applying = createApplying(limits);
  const forget = new Set<string>();
  for (const one of booked) disagreements(one, applying, forget);
  await addBookings(tx, limits, applying, bookings);
  return forget;
}

/**
 * Charges corrections to every window they fall into; nothing in the counters knows of them, so every
 * limit whose total they change is answered, to be forgotten there.
 */
export async function chargeAdjustments(
  tx: Tx,
  bookings: readonly Booking[],
): Promise<Set<string>> {
  const limits = await limitsOf(tx, dimensionsOf(bookings));
  const applying = createApplying(limits);
  const forget = new Set<string>();
  for (const booking of bookings) {
    for (const limit of applying(booking.dimensions)) {
      if (amountOf(limit.metric, booking.amounts) !== 0n) forget.add(limit.limitId);
    }
  }
  await addBookings(tx, limits, applying, bookings);
  return forget;
}

async function addBookings(
  tx: Tx,
  limits: readonly BookedLimit[],
  applying: Applying,
  bookings: readonly Booking[],
): Promise<void> {
  if (limits.length === 0 || bookings.length === 0) return;
  const instants = bookings.map((booking) => booking.authorisedAtMs);
  const rows = await windowsBetween(
    tx,
    limits.map((limit) => limit.limitId),
    least(instants),
    -least(instants.map((ms) => -ms)),
  );
  const ledger = new Map<string, WindowRow[]>();
  for (const row of rows) ledger.set(row.limitId, [...(ledger.get(row.limitId) ?? []), row]);

  const additions = new Map<WindowRow, bigint>();
  const missing = new Map<string, WindowSpan>();
  for (const booking of bookings) {
    for (const limit of applying(booking.dimensions)) {
      const present = ledger.get(limit.limitId) ?? [];
      const amount = amountOf(limit.metric, booking.amounts);
      for (const row of present) {
        if (!contains(row, booking.authorisedAtMs)) continue;
        additions.set(row, (additions.get(row) ?? 0n) + amount);
      }
      const span = spanOf(limit, booking);
      if (!present.some((row) => row.startMs === span.startMs && row.endMs === span.endMs)) {
        missing.set(`${span.limitId}/${span.startMs}/${span.endMs}`, span);
      }
    }
  }
  await addToWindows(
    tx,
    [...additions].map(([row, total]) => ({ ...row, total })),
  );
  await createWindows(tx, limits, [...missing.values()]);
}

function dimensionsOf(bookings: readonly Booking[]) {
  return bookings.map((booking) => booking.dimensions);
}

function contains(span: WindowSpan, instantMs: number): boolean {
  return instantMs >= span.startMs && instantMs < span.endMs;
}

function spanOf(limit: BookedLimit, booking: Booking): WindowSpan {
  const { startMs, endMs } = windowAt(limit, booking.authorisedAtMs, booking.timeZone);
  return { limitId: limit.limitId, startMs, endMs };
}

/**
 * An entry that comes to nothing in the books: its request was booked before. A counter that was
 * seeded while the entry was still in the stream has counted it, whether its close touched the
 * counter or not. A cancel is counted by nobody.
 */
function countedForNothing({ entry, bookings }: Booked): boolean {
  return bookings.length === 0 && entry.mode !== 'CANCELLED';
}

type Applying = (dimensions: Dimensions) => BookedLimit[];

/** The limits of a subject and model, found by its five scopes rather than by asking every limit. */
function createApplying(limits: readonly BookedLimit[]): Applying {
  const byScope = new Map<string, BookedLimit[]>();
  for (const limit of limits) {
    byScope.set(limit.scopeId, [...(byScope.get(limit.scopeId) ?? []), limit]);
  }
  return (dimensions) => {
    const { organisationId, teamId, userId, apiKeyId, modelId } = dimensions;
    const subject = { organisationId, teamId: teamId ?? '', userId: userId ?? '', apiKeyId };
    return [organisationId, teamId, userId, apiKeyId, modelId]
      .flatMap((id) => (id === null ? [] : (byScope.get(id) ?? [])))
      .filter(
        (limit) =>
          limit.organisationId === organisationId && limitApplies(limit, subject, modelId ?? ''),
      );
  };
}

/**
 * Compares what a close added to the counters with what the books added. Any difference (a limit
 * that is new or changed, a late truth, a second close of a booked request) is cured by forgetting the
 * counter: its next use reads the books.
 */
function disagreements(one: Booked, applying: Applying, forget: Set<string>) {
  const { entry, bookings, adjustments } = one;
  if (countedForNothing(one)) {
    for (const limit of applying(entry.dimensions)) forget.add(limit.limitId);
  }
  const expected = new Map<string, bigint>();
  for (const booking of bookings) {
    for (const limit of applying(booking.dimensions)) {
      const { startMs, endMs } = spanOf(limit, booking);
      const key = `${limit.limitId}/${startMs}/${endMs}`;
      expected.set(key, (expected.get(key) ?? 0n) + amountOf(limit.metric, booking.amounts));
      if (adjustments.length > 0) forget.add(limit.limitId);
    }
  }
  for (const { limitId, startMs, endMs, amount } of entry.touched) {
    // The parts of a rate limit (`<id>:rpm`) live in the counters alone.
    if (limitId.includes(':')) continue;
    const key = `${limitId}/${startMs}/${endMs}`;
    if ((expected.get(key) ?? 0n) !== amount) forget.add(limitId);
    expected.delete(key);
  }
  for (const [key, amount] of expected) {
    if (amount !== 0n) forget.add(key.slice(0, key.indexOf('/')));
  }
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => (b < a ? b : a), Number.POSITIVE_INFINITY);
}
