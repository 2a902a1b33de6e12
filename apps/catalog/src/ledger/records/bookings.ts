import type { Outcome } from '@tollgate/contracts';

import { isZero, minus, ZERO_AMOUNTS, type Amounts } from './amounts';
import type { Dimensions, LedgerEntry } from './entry';
import type { AdjustmentKind } from './usage-adjustment.entity';
import type { RecordMode } from './usage-record.entity';

/** A record that is already in the books. */
export interface KnownRecord {
  mode: RecordMode;
  dimensions: Dimensions;
  authorisedAtMs: number;
  /** Null: booked before zones were stored. */
  bookedZone: string | null;
  amounts: Amounts;
  /** The real usage of an abandoned request has been booked. */
  truthBooked: boolean;
  /** Sum of an operator's corrections of an abandoned request; late usage takes it back. */
  corrected: Amounts;
}

/**
 * By how much a booking changes the count of each status. Late usage moves one request out of
 * ABANDONED.
 */
export type StatusCounts = Readonly<Partial<Record<Outcome | 'ABANDONED', 1 | -1>>>;

/** What one record or adjustment adds to windows and rollups. */
export interface Booking {
  dimensions: Dimensions;
  authorisedAtMs: number;
  timeZone: string;
  /**
   * The zone in which the request's record was booked: its day and month are dates of that zone.
   */
  bookedZone?: string | null;
  amounts: Amounts;
  ends: StatusCounts;
  /** The operation, and the status under which the request is counted. */
  operation: string;
  status: Outcome | 'ABANDONED';
  /** Amounts that leave ABANDONED when late usage moves the request to `status`. */
  leaves?: Amounts;
  /** Absent when the latency is unknown or already counted. */
  latencyMs?: number;
  firstTokenMs?: number;
}

export type Adjustment = Booking & {
  /** Generated on insert when absent. */
  id?: string;
  requestId: string;
  part: 0 | 1;
  kind: AdjustmentKind;
  outcome: Outcome | null;
  reason: string;
  /** The operator; null when the ledger books it itself. */
  createdBy: string | null;
  /** The price, the units and the processing tiers behind the amounts; null when none changes. */
  priceId: string | null;
  units: Readonly<Record<string, string>> | null;
  serviceTier: string | null;
};

/** An adjustment in one part that changes neither outcome nor usage. */
export const AMOUNTS_ONLY = {
  part: 0,
  outcome: null,
  priceId: null,
  units: null,
  serviceTier: null,
  ends: {},
} as const;

const LATE = 'usage arrived after the hold was abandoned';
const SUPERSEDED = 'reverted: the real usage of the request has arrived';

/** What one ledger entry is booked as: a record, late usage, or nothing. */
export interface BookedEntry {
  entry: LedgerEntry;
  bookings: readonly Booking[];
  adjustments: readonly Adjustment[];
}

/**
 * Decides how each entry is booked, in ledger order. `inserted` are the requests whose record this
 * batch inserted, from their first entry; `known` are the records that existed before.
 */
export function bookEntries(
  entries: readonly LedgerEntry[],
  inserted: ReadonlySet<string>,
  known: ReadonlyMap<string, KnownRecord>,
): BookedEntry[] {
  const records = new Map(known);
  return entries.map((entry): BookedEntry => {
    const record = records.get(entry.requestId);
    if (record === undefined && inserted.has(entry.requestId)) {
      records.set(entry.requestId, recordOf(entry));
      return { entry, bookings: [bookingOf(entry)], adjustments: [] };
    }
    // A cancelled request without a record was never charged, and a second close charges nothing.
    if (record === undefined || record.mode !== 'ABANDONED' || record.truthBooked) {
      return { entry, bookings: [], adjustments: [] };
    }
    if (entry.mode === 'ABANDONED') return { entry, bookings: [], adjustments: [] };
    records.set(entry.requestId, { ...record, truthBooked: true });
    const adjustments = lateTruth(entry, record);
    return { entry, bookings: adjustments, adjustments };
  });
}

function recordOf(entry: LedgerEntry): KnownRecord {
  return {
    mode: entry.mode === 'ABANDONED' ? 'ABANDONED' : 'SETTLED',
    dimensions: entry.dimensions,
    authorisedAtMs: entry.authorisedAtMs,
    bookedZone: entry.timeZone,
    amounts: entry.amounts,
    truthBooked: false,
    corrected: ZERO_AMOUNTS,
  };
}

function bookingOf(entry: LedgerEntry): Booking {
  const { dimensions, authorisedAtMs, timeZone, amounts } = entry;
  const { operation } = entry.details;
  const booking = { dimensions, authorisedAtMs, timeZone, amounts, operation };
  if (entry.mode === 'ABANDONED') {
    return { ...booking, status: 'ABANDONED', ends: counted(amounts, { ABANDONED: 1 }) };
  }
  const status = entry.outcome ?? 'COMPLETED';
  return { ...booking, status, ends: counted(amounts, { [status]: 1 }), ...measured(entry) };
}

/** A request that does not count as one, such as a list of tools, is in no count of statuses. */
function counted(amounts: Amounts, ends: StatusCounts): StatusCounts {
  return amounts.requests === 0n ? {} : ends;
}

function measured({ details }: LedgerEntry): Pick<Booking, 'latencyMs' | 'firstTokenMs'> {
  const { latencyMs, firstTokenMs } = details;
  return firstTokenMs === null ? { latencyMs } : { latencyMs, firstTokenMs };
}

/**
 * The difference between the charge of an abandoned request and its real cost. A refund or
 * correction by an operator is taken back, so that the books end at the real cost whichever arrives
 * first.
 */
function lateTruth(entry: LedgerEntry, record: KnownRecord): Adjustment[] {
  const adjustments = truthOver(entry, record);
  if (isZero(record.corrected)) return adjustments;
  return [
    ...adjustments,
    {
      ...AMOUNTS_ONLY,
      requestId: entry.requestId,
      kind: 'CORRECTION',
      reason: SUPERSEDED,
      createdBy: null,
      dimensions: record.dimensions,
      authorisedAtMs: record.authorisedAtMs,
      timeZone: entry.timeZone,
      bookedZone: record.bookedZone,
      operation: entry.details.operation,
      status: 'ABANDONED',
      amounts: minus(ZERO_AMOUNTS, record.corrected),
    },
  ];
}

function truthOver(entry: LedgerEntry, record: KnownRecord): Adjustment[] {
  const { modelId, providerId } = entry.dimensions;
  const cancelled = entry.mode === 'CANCELLED';
  const dimensions: Dimensions = cancelled
    ? record.dimensions
    : {
        ...record.dimensions,
        modelId: modelId ?? record.dimensions.modelId,
        providerId: providerId ?? record.dimensions.providerId,
      };
  const base = {
    requestId: entry.requestId,
    kind: cancelled ? ('LATE_CANCELLED' as const) : ('LATE_SETTLED' as const),
    outcome: entry.outcome,
    reason: LATE,
    createdBy: null,
    priceId: cancelled ? null : entry.details.priceId,
    units: cancelled ? {} : entry.details.units,
    serviceTier: cancelled ? null : entry.details.serviceTier,
    authorisedAtMs: record.authorisedAtMs,
    timeZone: entry.timeZone,
    bookedZone: record.bookedZone,
    operation: entry.details.operation,
  };
  const abandoned = {
    status: 'ABANDONED',
    ends: counted(record.amounts, { ABANDONED: -1 }),
  } as const;
  if (cancelled) {
    return [
      { ...base, ...abandoned, part: 0, dimensions, amounts: minus(ZERO_AMOUNTS, record.amounts) },
    ];
  }
  const status = entry.outcome ?? 'COMPLETED';
  const ends = counted(entry.amounts, { [status]: 1 });
  const sameModel =
    dimensions.modelId === record.dimensions.modelId &&
    dimensions.providerId === record.dimensions.providerId;
  if (sameModel) {
    return [
      {
        ...base,
        part: 0,
        dimensions,
        amounts: minus(entry.amounts, record.amounts),
        leaves: record.amounts,
        status,
        ends: { ...abandoned.ends, ...ends },
        ...measured(entry),
      },
    ];
  }
  return [
    {
      ...base,
      ...abandoned,
      part: 0,
      dimensions: record.dimensions,
      amounts: minus(ZERO_AMOUNTS, record.amounts),
    },
    { ...base, part: 1, dimensions, amounts: entry.amounts, status, ends, ...measured(entry) },
  ];
}
