import type { Outcome } from '@tollgate/contracts';
import type { Tx } from '../../db';
import type { AdjustmentKind } from './usage-adjustment.entity';
import type { RecordMode } from './usage-record.entity';
import { AMOUNT_COLUMNS, NOTHING, plus, type Amounts } from './amounts';
import type { Dimensions } from './entry';
import { amountsIn, dimensionsIn, type StoredDimensions } from './records';

/**
 * What the books say of one request, its record and all adjustments taken together. Read it under the
 * shard's row where something is to be decided by it.
 */
export type Standing = {
  requestId: string;
  mode: RecordMode;
  /** What came of an abandoned request after all; null while nobody knows, or it was never one. */
  truth: 'SETTLED' | 'CANCELLED' | null;
  operation: string;
  outcome: Outcome | null;
  authorisedAtMs: number;
  /** The zone its record was booked by; null before zones were kept. */
  bookedZone: string | null;
  /** Whom it is charged to: by late truth, the model that answered. */
  dimensions: Dimensions;
  /** What was first charged for it, by late truth where there is any. */
  charged: Amounts;
  /** What re-rating has changed since, and people have corrected. */
  reratedNanoUsd: bigint;
  correctedNanoUsd: bigint;
  /** By which price it was charged; null where it had none. */
  priceId: string | null;
  /** Null: late truth that was booked before units were kept with it. */
  units: Readonly<Record<string, string>> | null;
};

/** The end that further adjustments of a request count under. */
export function statusOf({ mode, truth, outcome }: Standing): Outcome | 'ABANDONED' {
  return mode === 'ABANDONED' && truth !== 'SETTLED' ? 'ABANDONED' : (outcome ?? 'COMPLETED');
}

/** What a request has come to so far, in money. */
export function totalNanoUsd(standing: Standing): bigint {
  return standing.charged.cost_nano_usd + standing.reratedNanoUsd + standing.correctedNanoUsd;
}

type Stored = Record<string, unknown> &
  StoredDimensions & { outcome: Outcome | null; price_id: string | null };
type StoredRecord = Stored & {
  id: string;
  mode: RecordMode;
  operation: string;
  authorised_at: Date;
  time_zone: string | null;
  units: Record<string, string>;
};
type StoredAdjustment = Stored & {
  request_id: string;
  kind: AdjustmentKind;
  units: Record<string, string> | null;
};

const SHARED = `organisation_id, team_id, user_id, api_key_id, model_id, provider_id, outcome,
  price_id, units, ${AMOUNT_COLUMNS.join(', ')}`;

/** By request id, in the order of the ids given; a request without a record has none. */
export async function findStandings(
  tx: Tx,
  organisationId: string,
  requestIds: readonly string[],
): Promise<Standing[]> {
  if (requestIds.length === 0) return [];
  const values = [requestIds, organisationId];
  const { rows: records } = await tx.query<StoredRecord>({
    name: 'ledger-standing-records',
    text: `SELECT id, mode, operation, authorised_at, time_zone, ${SHARED} FROM usage_record
      WHERE id = ANY($1::uuid[]) AND organisation_id = $2`,
    values,
  });
  const { rows: adjustments } = await tx.query<StoredAdjustment>({
    name: 'ledger-standing-adjustments',
    text: `SELECT request_id, kind, ${SHARED} FROM usage_adjustment
      WHERE request_id = ANY($1::uuid[]) AND organisation_id = $2 ORDER BY request_id, part`,
    values,
  });
  const standings = new Map(records.map((record) => [record.id, standingOf(record)]));
  for (const row of adjustments) {
    const standing = standings.get(row.request_id);
    if (standing !== undefined) adjust(standing, row);
  }
  return requestIds.flatMap((id) => standings.get(id) ?? []);
}

function standingOf(record: StoredRecord): Standing {
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
  };
}

/** Late truth comes in one or two parts; the last one names the model that answered. */
function adjust(standing: Standing, row: StoredAdjustment): void {
  const amounts = amountsIn(row);
  switch (row.kind) {
    case 'RERATE':
      standing.reratedNanoUsd += amounts.cost_nano_usd;
      return;
    case 'CORRECTION':
      standing.correctedNanoUsd += amounts.cost_nano_usd;
      return;
    case 'LATE_SETTLED':
    case 'LATE_CANCELLED':
      standing.truth = row.kind === 'LATE_SETTLED' ? 'SETTLED' : 'CANCELLED';
      standing.charged = plus(standing.charged, amounts);
      standing.outcome = row.outcome;
      standing.dimensions = dimensionsIn(row);
      standing.priceId = row.price_id;
      standing.units = row.units;
  }
}

/** An amount of money alone: what people and price lists correct. */
export function moneyOf(costNanoUsd: bigint): Amounts {
  return { ...NOTHING, cost_nano_usd: costNanoUsd };
}
