import { shardOf } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import type { Tx } from '../../db';
import { raiseRevision } from '../../outbox';
import {
  costOnly,
  findBookedRequests,
  statusOf,
  totalNanoUsd,
  type BookedRequest,
} from '../records/booked-request';
import { AMOUNTS_ONLY, type Adjustment } from '../records/bookings';
import { insertAdjustments } from '../records/records';
import { lockShard } from '../records/shards';
import { groupBookings } from '../rollups/booking-groups';
import { addToRollups } from '../rollups/hourly-rollup';
import { addToPeriods } from '../rollups/periods';
import { chargeAdjustments } from '../windows/charge-windows';
import { chargeValueAdjustments } from '../windows/value-windows';

/**
 * What the data plane must hear: the shard's new revision, and the limits whose counters it
 * forgets.
 */
export interface AdjustmentNews {
  kind: 'LEDGER';
  organisationId: string;
  rev: bigint;
  limitIds: string[];
}

export interface Correction {
  organisationId: string;
  timeZone: string;
  requestId: string;
  differenceNanoUsd: bigint;
  reason: string;
  createdBy: string;
}

export interface Corrected {
  id: string;
  news: AdjustmentNews;
}

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
  for (const id of await chargeValueAdjustments(tx, adjustments)) forget.add(id);
  const groups = groupBookings(adjustments);
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
  const [bookedRequest] = await findBookedRequests(tx, organisationId, [requestId]);
  if (bookedRequest === undefined) return 'UNKNOWN';
  if (totalNanoUsd(bookedRequest) + differenceNanoUsd < 0n) return 'BELOW_ZERO';
  return bookCorrection(tx, bookedRequest, correction);
}

/** Books a correction. The caller holds the shard's row lock and read `bookedRequest` under it. */
export async function bookCorrection(
  tx: Tx,
  bookedRequest: BookedRequest,
  { organisationId, timeZone, requestId, differenceNanoUsd, reason, createdBy }: Correction,
): Promise<Corrected> {
  const id = uuidv7();
  const adjustment: Adjustment = {
    ...AMOUNTS_ONLY,
    id,
    requestId,
    kind: 'CORRECTION',
    reason,
    createdBy,
    dimensions: bookedRequest.dimensions,
    operation: bookedRequest.operation,
    status: statusOf(bookedRequest),
    authorisedAtMs: bookedRequest.authorisedAtMs,
    timeZone,
    bookedZone: bookedRequest.bookedZone,
    amounts: costOnly(differenceNanoUsd),
  };
  return { id, news: await bookAdjustments(tx, organisationId, [adjustment]) };
}
