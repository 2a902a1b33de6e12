import { shardOf } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { Tx } from '../db';
import { raiseRevision } from '../outbox';
import type { Adjustment } from './bookings';
import { chargeAdjustments } from './charge';
import { insertAdjustments } from './records';
import { addToRollups } from './rollups';
import { lockShard } from './shards';
import { findStandings, moneyOf, totalNanoUsd, type Standing } from './standing';

/** What the data plane must hear of adjustments: at which revision, and which counters to forget. */
export type AdjustmentNews = { rev: bigint; limitIds: string[] };

export type Correction = {
  organisationId: string;
  timeZone: string;
  requestId: string;
  /** What it comes to, from what the books say of the request at that moment. */
  differenceNanoUsd: (standing: Standing) => bigint;
  reason: string;
  createdBy: string;
};

export type Corrected = AdjustmentNews & {
  before: Standing;
  id: string;
  differenceNanoUsd: bigint;
};

/** A refusal: there is no such record, or the request would come to less than nothing. */
export type CorrectionRefusal = 'UNKNOWN' | 'BELOW_ZERO';

/**
 * Books adjustments of one organisation under its shard's row, which the caller holds: tables, windows
 * and rollups, as for any booking.
 */
export async function bookAdjustments(
  tx: Tx,
  organisationId: string,
  adjustments: readonly Adjustment[],
): Promise<AdjustmentNews> {
  await insertAdjustments(tx, adjustments);
  const forget = await chargeAdjustments(tx, adjustments);
  await addToRollups(tx, adjustments);
  return { rev: await raiseRevision(tx, organisationId), limitIds: [...forget] };
}

/**
 * Corrects what one request is charged, in money alone: what it used was measured. A refusal changes
 * nothing.
 */
export async function correct(
  tx: Tx,
  correction: Correction,
): Promise<Corrected | CorrectionRefusal> {
  const { organisationId, requestId, reason, createdBy, timeZone } = correction;
  await lockShard(tx, shardOf(organisationId));
  const [before] = await findStandings(tx, organisationId, [requestId]);
  if (before === undefined) return 'UNKNOWN';
  const differenceNanoUsd = correction.differenceNanoUsd(before);
  if (totalNanoUsd(before) + differenceNanoUsd < 0n) return 'BELOW_ZERO';
  const id = uuidv7();
  const adjustment: Adjustment = {
    id,
    requestId,
    part: 0,
    kind: 'CORRECTION',
    outcome: null,
    reason,
    createdBy,
    priceId: null,
    units: null,
    dimensions: before.dimensions,
    authorisedAtMs: before.authorisedAtMs,
    timeZone,
    amounts: moneyOf(differenceNanoUsd),
    ends: {},
  };
  const news = await bookAdjustments(tx, organisationId, [adjustment]);
  return { before, id, differenceNanoUsd, ...news };
}
