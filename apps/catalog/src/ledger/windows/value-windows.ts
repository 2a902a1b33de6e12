import { limitIdOf, VALUE_MARK } from '@tollgate/contracts';

import type { Tx } from '../../db';
import { amountOf } from '../records/amounts';
import type { Adjustment, BookedEntry, Booking } from '../records/bookings';
import { arrayLiteral, columnSource, instantText } from '../records/column-arrays';
import { valuesTouched } from '../records/limit-values';
import type { StoredLimitValue } from '../records/usage-record.entity';
import { findLimitsById, type BookedLimit } from './matching-limits';
import type { WindowRow, WindowSpan } from './windows';

// Windows of limits that each end user, session or value of a tag has for itself. An entry names the counters of its
// values, because the books cannot know which values counted: keys and their trust change, and plugins set tags. So a
// window without a row is zero, and such a limit counts from its creation on.
//
// A total that was forgotten stays forgotten: a row counts the requests that were booked since `counts_from`, with their
// adjustments, and nothing else. So the first request of a value writes a row even if it costs nothing.

/** What a request has added to one counter of a value. */
interface ValueCharge {
  readonly span: WindowSpan;
  readonly requestId: string;
  readonly booking: Booking;
}
interface ValueCorrection extends ValueCharge {
  readonly booking: Adjustment;
}

/** Adds batches to the windows of their values. Returns the counters that must be forgotten, for each batch. */
export async function chargeValues(
  tx: Tx,
  batches: readonly (readonly BookedEntry[])[],
): Promise<Set<string>[]> {
  const charges: ValueCharge[] = [];
  const corrections: ValueCorrection[] = [];
  const forgets = batches.map((booked) => {
    const forget = new Set<string>();
    for (const { entry, bookings, adjustments } of booked) {
      const { requestId } = entry;
      const values = valuesTouched(entry.touched);
      if (values.length === 0) continue;
      for (const span of values) {
        for (const booking of adjustments) corrections.push({ span, requestId, booking });
        if (adjustments.length === 0) {
          for (const booking of bookings) charges.push({ span, requestId, booking });
        }
        // The counter has what the close added, or nothing of a late one: only the books are right.
        const unbooked = bookings.length === 0 && entry.mode !== 'CANCELLED';
        if (unbooked || adjustments.length > 0) forget.add(span.limitId);
      }
    }
    return forget;
  });
  await addCharges(tx, [...charges, ...(await remembered(tx, corrections))]);
  return forgets;
}

/** Adds corrections to the windows of the values that their requests counted in. Returns these counters. */
export async function chargeValueAdjustments(
  tx: Tx,
  adjustments: readonly Adjustment[],
): Promise<Set<string>> {
  const valuesOf = await storedValues(
    tx,
    adjustments.map(({ requestId }) => requestId),
  );
  const corrections = adjustments.flatMap((booking) =>
    (valuesOf.get(booking.requestId) ?? []).map((span) => {
      const { requestId } = booking;
      return { span, requestId, booking };
    }),
  );
  await addCharges(tx, await remembered(tx, corrections));
  return new Set(corrections.map(({ span }) => span.limitId));
}

/** The corrections of requests that their totals still count. A request of this transaction has no row yet. */
async function remembered(
  tx: Tx,
  corrections: readonly ValueCorrection[],
): Promise<readonly ValueCorrection[]> {
  if (corrections.length === 0) return [];
  const spans = corrections.map(({ span }) => span);
  const { rows } = await tx.query<{ place: bigint | number }>({
    name: 'ledger-remembered-values',
    text: `SELECT w.place
      FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[], $5::uuid[])
        WITH ORDINALITY AS w(id, s, e, hash, request, place)
      JOIN usage_record r ON r.id = w.request
      LEFT JOIN value_window v ON v.limit_id = w.id AND v.starts_at = w.s AND v.ends_at = w.e
        AND v.value_hash = w.hash
      WHERE r.recorded_at >= v.counts_from OR r.recorded_at = now()`,
    values: [...valueColumns(spans), arrayLiteral(corrections.map(({ requestId }) => requestId))],
  });
  const places = new Set(rows.map(({ place }) => Number(place)));
  return corrections.filter((_, at) => places.has(at + 1));
}

async function storedValues(
  tx: Tx,
  requestIds: readonly string[],
): Promise<Map<string, WindowSpan[]>> {
  if (requestIds.length === 0) return new Map();
  const { rows } = await tx.query<{ id: string; limit_values: StoredLimitValue[] }>({
    name: 'ledger-record-values',
    text: `SELECT id, limit_values FROM usage_record
      WHERE id = ANY($1::uuid[]) AND limit_values IS NOT NULL`,
    values: [arrayLiteral([...new Set(requestIds)])],
  });
  return new Map(
    rows.map(({ id, limit_values: values }) => [
      id,
      values.map(([limitId, startMs, endMs]) => ({ limitId, startMs, endMs })),
    ]),
  );
}

interface Addition extends WindowSpan {
  readonly valueHash: string;
  readonly organisationId: string;
  requestId: string;
  amount: bigint;
}

async function addCharges(tx: Tx, charges: readonly ValueCharge[]): Promise<void> {
  if (charges.length === 0) return;
  const limits = await limitsOf(
    tx,
    charges.map(({ span }) => span.limitId),
  );
  const additions = new Map<string, Addition>();
  for (const { span, requestId, booking } of charges) {
    const limit = limits.get(limitIdOf(span.limitId));
    // A deleted limit counts no more, and one of another organisation never did.
    if (limit?.organisationId !== booking.dimensions.organisationId) continue;
    const amount = amountOf(limit.metric, booking.amounts);
    const key = keyOf(span);
    const present = additions.get(key);
    if (present === undefined) {
      const { organisationId, limitId } = limit;
      additions.set(key, { ...span, ...hashIn(span), limitId, organisationId, requestId, amount });
    } else {
      present.amount += amount;
      present.requestId = requestId;
    }
  }
  await add(tx, [...additions.values()]);
}

const added = columnSource<Addition>('w', [
  ['id', 'uuid', ({ limitId }) => limitId],
  ['starts', 'timestamptz', ({ startMs }) => instantText(startMs)],
  ['ends', 'timestamptz', ({ endMs }) => instantText(endMs)],
  ['hash', 'text', ({ valueHash }) => valueHash],
  ['organisation', 'uuid', ({ organisationId }) => organisationId],
  ['amount', 'bigint', ({ amount }) => amount],
  ['request', 'uuid', ({ requestId }) => requestId],
]);

// The caller holds the shard's row lock, so nobody else adds. A transaction that began earlier may add later: then the
// row counts from the earlier one, whose record has that instant.
async function add(tx: Tx, additions: readonly Addition[]): Promise<void> {
  if (additions.length === 0) return;
  await tx.query({
    name: 'ledger-add-value-windows',
    text: `INSERT INTO value_window AS v
        (limit_id, starts_at, ends_at, value_hash, organisation_id, amount, request_id)
      SELECT ${['id', 'starts', 'ends', 'hash', 'organisation', 'amount', 'request'].map(added.value).join(', ')}
      FROM ${added.from}
      ON CONFLICT (limit_id, starts_at, ends_at, value_hash)
        DO UPDATE SET amount = greatest(0, v.amount + excluded.amount), updated_at = now(),
          request_id = excluded.request_id,
          counts_from = least(v.counts_from, excluded.counts_from)
        WHERE excluded.amount <> 0 OR excluded.counts_from < v.counts_from`,
    values: added.values(additions),
  });
}

/** The totals of these windows of values; one without a row is zero. */
export async function findValueWindows(tx: Tx, spans: readonly WindowSpan[]): Promise<WindowRow[]> {
  if (spans.length === 0) return [];
  const { rows } = await tx.query<{ place: bigint | number; total: bigint }>({
    name: 'ledger-find-value-windows',
    text: `SELECT place, coalesce(v.amount, 0)::bigint AS total
      FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[])
        WITH ORDINALITY AS w(id, s, e, hash, place)
      LEFT JOIN value_window v ON v.limit_id = w.id AND v.starts_at = w.s AND v.ends_at = w.e
        AND v.value_hash = w.hash`,
    values: valueColumns(spans),
  });
  return rows.flatMap(({ place, total }) => {
    const span = spans[Number(place) - 1];
    return span === undefined ? [] : [{ ...span, total: total < 0n ? 0n : total }];
  });
}

function valueColumns(spans: readonly WindowSpan[]): string[] {
  return [
    arrayLiteral(spans.map(({ limitId }) => limitIdOf(limitId))),
    arrayLiteral(spans.map(({ startMs }) => instantText(startMs))),
    arrayLiteral(spans.map(({ endMs }) => instantText(endMs))),
    arrayLiteral(spans.map((span) => hashIn(span).valueHash)),
  ];
}

async function limitsOf(tx: Tx, counterIds: readonly string[]): Promise<Map<string, BookedLimit>> {
  const found = await findLimitsById(tx, [...new Set(counterIds.map(limitIdOf))]);
  return new Map(found.map((limit) => [limit.limitId, limit]));
}

function hashIn({ limitId }: WindowSpan): { valueHash: string } {
  return { valueHash: limitId.slice(limitId.indexOf(VALUE_MARK) + 1) };
}

function keyOf({ limitId, startMs, endMs }: WindowSpan): string {
  return `${limitId}/${startMs}/${endMs}`;
}
