import type { Outcome } from '@tollgate/contracts';

import type { Tx } from '../../db';
import { AMOUNT_COLUMNS, plus, ZERO_AMOUNTS, type Amounts } from './amounts';
import type { Dimensions } from './entry';
import { amountsIn, DIMENSION_COLUMNS, dimensionsIn, type StoredDimensions } from './records';
import type { AdjustmentKind } from './usage-adjustment.entity';
import type { RecordMode } from './usage-record.entity';

/**
 * One request as the books have it: its record and all adjustments together. Read it under the
 * shard's row lock when a decision depends on it.
 */
export interface BookedRequest {
  requestId: string;
  mode: RecordMode;
  /**
   * The real outcome of an abandoned request; null while unknown, or when it was never abandoned.
   */
  truth: 'SETTLED' | 'CANCELLED' | null;
  operation: string;
  outcome: Outcome | null;
  authorisedAtMs: number;
  /** The time zone in which its record was booked; null before zones were stored. */
  bookedZone: string | null;
  /** Who is charged; after late usage, with the model that answered. */
  dimensions: Dimensions;
  /** The first charge; after late usage, the real one. */
  charged: Amounts;
  /** Changes since then: by re-rating, and by corrections of operators. */
  reratedNanoUsd: bigint;
  correctedNanoUsd: bigint;
  /** The price at which it was charged; null if it had none. */
  priceId: string | null;
  /** Null: late usage booked before units were stored with it. */
  units: Readonly<Record<string, string>> | null;
  /** The processing tiers of the charge; empty: standard processing. */
  serviceTier: string;
  /** Its answer came from the response cache, so no price list says what it costs. */
  fromCache: boolean;
}

/** The status under which further adjustments of a request are counted. */
export function statusOf({ mode, truth, outcome }: BookedRequest): Outcome | 'ABANDONED' {
  return mode === 'ABANDONED' && truth !== 'SETTLED' ? 'ABANDONED' : (outcome ?? 'COMPLETED');
}

/** The cost of a request so far. */
export function totalNanoUsd(bookedRequest: BookedRequest): bigint {
  return (
    bookedRequest.charged.cost_nano_usd +
    bookedRequest.reratedNanoUsd +
    bookedRequest.correctedNanoUsd
  );
}

type Stored = Record<string, unknown> &
  StoredDimensions & {
    outcome: Outcome | null;
    price_id: string | null;
    service_tier: string | null;
  };
type StoredRecord = Stored & {
  id: string;
  mode: RecordMode;
  operation: string;
  authorised_at: Date;
  time_zone: string | null;
  units: Record<string, string>;
  response_cache: string | null;
};
type StoredAdjustment = Stored & {
  request_id: string;
  kind: AdjustmentKind;
  units: Record<string, string> | null;
};

const SHARED = [
  ...DIMENSION_COLUMNS,
  'outcome',
  'price_id',
  'units',
  'service_tier',
  ...AMOUNT_COLUMNS,
].join(', ');

/** In the order of the ids given. Requests without a record are left out. */
export async function findBookedRequests(
  tx: Tx,
  organisationId: string,
  requestIds: readonly string[],
): Promise<BookedRequest[]> {
  if (requestIds.length === 0) return [];
  const values = [requestIds, organisationId];
  const { rows: records } = await tx.query<StoredRecord>({
    name: 'ledger-standing-records',
    text: `SELECT id, mode, operation, authorised_at, time_zone, response_cache, ${SHARED} FROM usage_record
      WHERE id = ANY($1::uuid[]) AND organisation_id = $2`,
    values,
  });
  const { rows: adjustments } = await tx.query<StoredAdjustment>({
    name: 'ledger-standing-adjustments',
    text: `SELECT request_id, kind, ${SHARED} FROM usage_adjustment
      WHERE request_id = ANY($1::uuid[]) AND organisation_id = $2 ORDER BY request_id, part`,
    values,
  });
  const bookedRequests = new Map(records.map((record) => [record.id, bookedRequestOf(record)]));
  for (const row of adjustments) {
    const bookedRequest = bookedRequests.get(row.request_id);
    if (bookedRequest !== undefined) adjust(bookedRequest, row);
  }
  return requestIds.flatMap((id) => bookedRequests.get(id) ?? []);
}

function bookedRequestOf(record: StoredRecord): BookedRequest {
  return {
    requestId: record.id,
    mode: record.mode,
    truth: null,
    operation: record.operation,
    outcome: record.outcome,
    authorisedAtMs: record.authorised_at.getTime(),
    bookedZone: record.time_zone,
    dimensions: dimensionsIn(record),
    charged: amountsIn(record),
    reratedNanoUsd: 0n,
    correctedNanoUsd: 0n,
    priceId: record.price_id,
    units: record.units,
    serviceTier: record.service_tier ?? '',
    fromCache: record.response_cache === 'HIT',
  };
}

/** Late usage comes in one or two parts; the last one names the model that answered. */
function adjust(bookedRequest: BookedRequest, row: StoredAdjustment): void {
  const amounts = amountsIn(row);
  switch (row.kind) {
    case 'RERATE':
      bookedRequest.reratedNanoUsd += amounts.cost_nano_usd;
      return;
    case 'CORRECTION':
      bookedRequest.correctedNanoUsd += amounts.cost_nano_usd;
      return;
    case 'LATE_SETTLED':
    case 'LATE_CANCELLED':
      bookedRequest.truth = row.kind === 'LATE_SETTLED' ? 'SETTLED' : 'CANCELLED';
      bookedRequest.charged = plus(bookedRequest.charged, amounts);
      bookedRequest.outcome = row.outcome;
      bookedRequest.dimensions = dimensionsIn(row);
      bookedRequest.priceId = row.price_id;
      bookedRequest.units = row.units;
      bookedRequest.serviceTier = row.service_tier ?? '';
  }
}

/** Amounts with a cost alone, as corrections and re-ratings change nothing else. */
export function costOnly(costNanoUsd: bigint): Amounts {
  return { ...ZERO_AMOUNTS, cost_nano_usd: costNanoUsd };
}
