import { shardOf } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import type { Tx } from '../../db';
import { raiseRevision } from '../../outbox';
import { AMOUNTS_ALONE, type Adjustment } from '../records/bookings';
import { chargeAdjustments } from '../windows/charge-windows';
import { insertAdjustments } from '../records/records';
import { groupsOf } from '../rollups/booking-groups';
import { addToPeriods } from '../rollups/periods';
import { addToRollups } from '../rollups/hourly-rollup';
import { lockShard } from '../records/shards';
import {
  findStandings,
  moneyOf,
  statusOf,
  totalNanoUsd,
  type Standing,
} from '../records/booked-request';

/**
 * What the data plane must hear: the shard's new revision, and the limits whose counters it
 * forgets.
 */
export type AdjustmentNews = {
  kind: 'LEDGER';
  organisationId: string;
  rev: bigint;
  limitIds: string[];
};

export type Correction = {
  organisationId: string;
  timeZone: string;
  requestId: string;
  differenceNanoUsd: bigint;
  reason: string;
  createdBy: string;
};

export type Corrected = { id: string; news: AdjustmentNews };

/** There is no such record, or the request would come to less than zero. */
export type CorrectionRefusal = 'UNKNOWN' | 'BELOW_ZERO';

/**
 * Books adjustments of one organisation: tables, windows and rollups, as for any booking. The
 * caller holds the shard's row lock.
 */
export async function bookAdjustments(
  tx: Tx,
  organisationId: string,
  adjustments: readonly Adjustment[],
): Promise<AdjustmentNews> {
  await insertAdjustments(tx, adjustments);
  const forget = await chargeAdjustments(tx, adjustments);
  const groups = groupsOf(adjustments);
  await addToRollups(tx, groups);
  await addToPeriods(tx, groups);
  return {
    kind: 'LEDGER',
    organisationId,
    rev: await raiseRevision(tx, organisationId),
    limitIds: [...forget],
  };
}

/** Corrects the cost of one request. Its measured usage stays. A refusal changes nothing. */
export async function correct(
  tx: Tx,
  correction: Correction,
): Promise<Corrected | CorrectionRefusal> {
  const { organisationId, requestId, differenceNanoUsd } = correction;
  await lockShard(tx, shardOf(organisationId));
  const [standing] = await findStandings(tx, organisationId, [requestId]);
  if (standing === undefined) return 'UNKNOWN';
  if (totalNanoUsd(standing) + differenceNanoUsd < 0n) return 'BELOW_ZERO';
  return bookCorrection(tx, standing, correction);
}

/** Books a correction. The caller holds the shard's row lock and read `request` under it. */
export async function bookCorrection(
  tx: Tx,
  standing: Standing,
  { organisationId, timeZone, requestId, differenceNanoUsd, reason, createdBy }: Correction,
): Promise<Corrected> {
  const id = uuidv7();
  const adjustment: Adjustment = {
    ...AMOUNTS_ALONE,
    id,
    requestId,
    kind: 'CORRECTION',
    reason,
    createdBy,
    dimensions: standing.dimensions,
    operation: standing.operation,
    status: statusOf(standing),
    authorisedAtMs: standing.authorisedAtMs,
    timeZone,
    bookedZone: standing.bookedZone,
    amounts: moneyOf(differenceNanoUsd),
  };
  return { id, news: await bookAdjustments(tx, organisationId, [adjustment]) };
}
