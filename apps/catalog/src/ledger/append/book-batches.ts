import type { Tx } from '../../db';
import { closeHolds, noteAbandoned } from '../holds/checkpoint';
import { bookEntries } from '../records/bookings';
import type { LedgerEntry } from '../records/entry';
import { insertMcpRecords } from '../records/mcp-records';
import { findRecords, insertAdjustments, insertRecords } from '../records/records';
import { refuseRemoved } from '../retention/refuse-removed';
import { groupBookings } from '../rollups/booking-groups';
import { addToRollups } from '../rollups/hourly-rollup';
import { addToPeriods } from '../rollups/periods';
import { chargeWindows } from '../windows/charge-windows';
import { chargeValues } from '../windows/value-windows';

export interface BookResult {
  records: number;
  adjustments: number;
  /** Limits whose counters no longer agree with the books. */
  forget: Set<string>;
}

/** Entries of one shard, in ledger order. */
export interface Batch {
  shard: number;
  entries: readonly LedgerEntry[];
}

/** Books a batch. The caller holds the shard's row lock. */
export async function bookBatch(tx: Tx, batch: Batch): Promise<BookResult> {
  const [result] = await bookBatches(tx, [batch]);
  if (result === undefined) throw new Error('a batch that is booked has a result');
  return result;
}

/**
 * Books batches of different shards and returns one result for each. The caller holds the shards'
 * row locks.
 */
export async function bookBatches(tx: Tx, batches: readonly Batch[]): Promise<BookResult[]> {
  const entries = batches.flatMap((batch) => batch.entries);
  await refuseRemoved(tx, entries);
  const firsts = batches.map(firstEntries);
  const inserted = await insertRecords(tx, firsts.flat());
  const known = await findRecords(
    tx,
    entries.filter((entry) => !inserted.has(entry.requestId)).map((entry) => entry.requestId),
  );
  await insertMcpRecords(
    tx,
    firsts.flat().flatMap(({ entry }) => (inserted.has(entry.requestId) ? [entry] : [])),
  );
  const booked = bookEntries(entries, inserted, known);
  await insertAdjustments(
    tx,
    booked.flatMap((one) => one.adjustments),
  );
  const bookedOf = apart(batches, booked);
  const forgets = await chargeWindows(tx, bookedOf);
  const forgottenValues = await chargeValues(tx, bookedOf);
  const groups = groupBookings(booked.flatMap((one) => one.bookings));
  await addToRollups(tx, groups);
  await addToPeriods(tx, groups);
  await closeHolds(tx, entries);
  await noteAbandoned(
    tx,
    booked.filter(({ bookings }) => bookings.length > 0).map(({ entry }) => entry),
  );
  return forgets.map((forget, at) => ({
    records: (firsts[at] ?? []).filter(({ entry }) => inserted.has(entry.requestId)).length,
    adjustments: (bookedOf[at] ?? []).reduce((sum, one) => sum + one.adjustments.length, 0),
    forget: new Set([...forget, ...(forgottenValues[at] ?? [])]),
  }));
}

/** The first entry of each request, without cancelled requests, which need no record. */
function firstEntries({ shard, entries }: Batch): { shard: number; entry: LedgerEntry }[] {
  const seen = new Map<string, LedgerEntry>();
  for (const entry of entries) if (!seen.has(entry.requestId)) seen.set(entry.requestId, entry);
  return [...seen.values()]
    .filter((entry) => entry.mode !== 'CANCELLED')
    .map((entry) => ({ shard, entry }));
}

function apart<T>(batches: readonly Batch[], all: readonly T[]): T[][] {
  let from = 0;
  return batches.map(({ entries }) => all.slice(from, (from += entries.length)));
}
