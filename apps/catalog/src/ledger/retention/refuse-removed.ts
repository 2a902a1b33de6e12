import type { Tx } from '../../db';
import type { LedgerEntry } from '../records/entry';

/**
 * Refuses entries from a time whose records retention has removed: whether such a request was
 * booked is no longer known, and nothing may be charged twice. Throws a RangeError, so that the
 * entry is quarantined for an operator.
 */
export async function refuseRemoved(tx: Tx, entries: readonly LedgerEntry[]): Promise<void> {
  const organisations = new Set(entries.map((entry) => entry.dimensions.organisationId));
  const { rows } = await tx.query<{ organisation_id: string; records_from: Date }>({
    name: 'ledger-removed',
    text: `SELECT organisation_id, records_from FROM usage_removed
      WHERE organisation_id = ANY($1::uuid[])`,
    values: [[...organisations]],
  });
  const from = new Map(rows.map((row) => [row.organisation_id, row.records_from.getTime()]));
  for (const { seq, dimensions, authorisedAtMs } of entries) {
    if (authorisedAtMs < (from.get(dimensions.organisationId) ?? 0)) {
      throw new RangeError(
        `entry ${seq}: authorised_at_ms cannot be booked: records of that time were removed by retention`,
      );
    }
  }
}
