import type { Tx } from '../db';
import { bookEntries } from './bookings';
import { chargeWindows } from './charge';
import { closeHolds, noteAbandoned } from './checkpoint';
import type { LedgerEntry } from './entry';
import { groupsOf } from './groups';
import { addToPeriods } from './periods';
import { findRecords, insertAdjustments, insertRecords } from './records';
import { refuseRemoved } from './removed';
import { addToRollups } from './rollups';

export type BookResult = {
  records: number;
  adjustments: number;
  /** Limits whose counters no longer agree with the books. */
  forget: Set<string>;
};

/** Books entries, in ledger order, under the shard's row, which the caller holds. */
export async function book(
  tx: Tx,
  shard: number,
  entries: readonly LedgerEntry[],
): Promise<BookResult> {
  await refuseRemoved(tx, entries);
  const firsts = firstEntries(entries).filter((entry) => entry.mode !== 'CANCELLED');
  const inserted = await insertRecords(tx, shard, firsts);
  const earlier = entries.filter((entry) => !inserted.has(entry.requestId));
  const known = await findRecords(
    tx,
    earlier.map((entry) => entry.requestId),
  );
  const booked = bookEntries(entries, inserted, known);
  const adjustments = booked.flatMap((one) => one.adjustments);
  await insertAdjustments(tx, adjustments);
  const forget = await chargeWindows(tx, booked);
  const groups = groupsOf(booked.flatMap((one) => one.bookings));
  await addToRollups(tx, groups);
  await addToPeriods(tx, groups);
  await closeHolds(tx, entries);
  await noteAbandoned(
    tx,
    booked.filter(({ bookings }) => bookings.length > 0).map(({ entry }) => entry),
  );
  return { records: inserted.size, adjustments: adjustments.length, forget };
}

function firstEntries(entries: readonly LedgerEntry[]): LedgerEntry[] {
  const seen = new Map<string, LedgerEntry>();
  for (const entry of entries) if (!seen.has(entry.requestId)) seen.set(entry.requestId, entry);
  return [...seen.values()];
}
