import { shardOf } from '@tollgate/contracts';

import type { Tx } from '../../db';
import { bookCorrection, type AdjustmentNews } from '../adjustments/adjustments';
import { findBookedRequests, totalNanoUsd } from '../records/booked-request';
import { lockShard } from '../records/shards';

export interface Resolution {
  organisationId: string;
  timeZone: string;
  requestId: string;
  charge: 'KEEP' | 'REFUND';
  reason: string;
  resolvedBy: string;
}

/**
 * ENDED: the real usage arrived meanwhile, or another operator resolved it first. NOT_BOOKED: the
 * charge is not in the books yet.
 */
export type ResolutionRefusal = 'ENDED' | 'NOT_BOOKED';

/**
 * Ends an abandoned hold by an operator's decision. It does not replace the real usage: when that
 * arrives later, the ledger takes a refund back and books the real cost.
 */
export async function resolveAbandoned(
  tx: Tx,
  { organisationId, timeZone, requestId, charge, reason, resolvedBy }: Resolution,
): Promise<{ news: AdjustmentNews[] } | ResolutionRefusal> {
  await lockShard(tx, shardOf(organisationId));
  const [bookedRequest] = await findBookedRequests(tx, organisationId, [requestId]);
  if (bookedRequest === undefined) return 'NOT_BOOKED';
  if (bookedRequest.mode !== 'ABANDONED' || bookedRequest.truth !== null) return 'ENDED';
  const { rowCount } = await tx.query(
    `UPDATE budget_request SET state = 'RESOLVED', resolved_at = now(), resolved_by = $2,
       updated_at = now()
     WHERE request_id = $1 AND state = 'ABANDONED'`,
    [requestId, resolvedBy],
  );
  if (rowCount === 0) return 'ENDED';
  const charged = totalNanoUsd(bookedRequest);
  if (charge === 'KEEP' || charged === 0n) return { news: [] };
  const { news } = await bookCorrection(tx, bookedRequest, {
    organisationId,
    timeZone,
    requestId,
    differenceNanoUsd: -charged,
    reason,
    createdBy: resolvedBy,
  });
  return { news: [news] };
}
