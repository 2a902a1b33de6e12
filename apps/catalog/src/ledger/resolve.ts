import { shardOf } from '@tollgate/contracts';
import type { Tx } from '../db';
import { correct, type AdjustmentNews } from './adjust';
import { lockShard } from './shards';
import { findStandings, totalNanoUsd } from './standing';

export type Resolution = {
  organisationId: string;
  timeZone: string;
  requestId: string;
  charge: 'KEEP' | 'REFUND';
  reason: string;
  resolvedBy: string;
};

/** The truth has come meanwhile, or somebody else was first; or the charge is not in the books yet. */
export type ResolutionRefusal = 'ENDED' | 'NOT_BOOKED';

/**
 * Ends an abandoned hold by an operator's word. That is no truth: when the truth comes after all, the
 * ledger takes back what was given back here and books the request at what it really came to.
 */
export async function resolveAbandoned(
  tx: Tx,
  { organisationId, timeZone, requestId, charge, reason, resolvedBy }: Resolution,
): Promise<{ refunded: AdjustmentNews | null } | ResolutionRefusal> {
  await lockShard(tx, shardOf(organisationId));
  const [standing] = await findStandings(tx, organisationId, [requestId]);
  if (standing === undefined) return 'NOT_BOOKED';
  if (standing.mode !== 'ABANDONED' || standing.truth !== null) return 'ENDED';
  const { rowCount } = await tx.query(
    `UPDATE budget_request SET state = 'RESOLVED', resolved_at = now(), resolved_by = $2,
       updated_at = now()
     WHERE request_id = $1 AND state = 'ABANDONED'`,
    [requestId, resolvedBy],
  );
  if (rowCount === 0) return 'ENDED';
  if (charge === 'KEEP' || totalNanoUsd(standing) === 0n) return { refunded: null };
  const outcome = await correct(tx, {
    organisationId,
    timeZone,
    requestId,
    differenceNanoUsd: (present) => -totalNanoUsd(present),
    reason,
    createdBy: resolvedBy,
  });
  if (typeof outcome === 'string') throw new Error(`a refund was refused: ${outcome}`);
  return { refunded: outcome };
}
