import type { Entry__Output } from '@tollgate/contracts/node';

import type { Tx } from '../../db';
import { raiseRevision } from '../../outbox';
import type { AdjustmentNews } from '../adjustments/adjustments';
import { bookBatch } from '../append/book-batches';
import { parseEntry, type LedgerEntry } from '../records/entry';
import { valuesTouched } from '../records/limit-values';
import { assertShard, lockShard } from '../records/shards';

/**
 * Books a quarantined entry after an operator has removed the cause. Throws a RangeError or the
 * database's error when the entry still cannot be booked.
 */
export async function bookQuarantined(
  tx: Tx,
  id: string,
  resolvedBy: string | null,
): Promise<AdjustmentNews | 'NOT_OPEN'> {
  const { rows } = await tx.query<{
    shard: number;
    seq: bigint;
    entry: unknown;
    raw: Buffer | null;
  }>(
    `SELECT shard, seq, entry, raw FROM ledger_quarantine
     WHERE id = $1 AND status = 'OPEN' FOR UPDATE`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return 'NOT_OPEN';
  const entry = decodeQuarantined(row);
  const { organisationId } = entry.dimensions;
  assertShard(row.shard, organisationId);
  await lockShard(tx, row.shard);
  // Its counters were forgotten when it was set aside, so there is nothing to compare. Its values are known from it alone;
  // theirs are forgotten once more, because they may have been read from the books since.
  const touched = valuesTouched(entry.touched);
  const { forget } = await bookBatch(tx, { shard: row.shard, entries: [{ ...entry, touched }] });
  await tx.query(
    `UPDATE ledger_quarantine SET status = 'BOOKED', resolved_at = now(), resolved_by = $2
     WHERE id = $1`,
    [id, resolvedBy],
  );
  return {
    kind: 'LEDGER',
    organisationId,
    rev: await raiseRevision(tx, organisationId),
    limitIds: [...new Set([...forget, ...touched.map(({ limitId }) => limitId)])],
  };
}

function decodeQuarantined(row: { seq: bigint; entry: unknown; raw: Buffer | null }): LedgerEntry {
  try {
    const wire = row.entry ?? JSON.parse(row.raw?.toString('utf8') ?? 'null');
    return parseEntry(wire as Entry__Output);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // Arbitrary bytes can fail with any error, so all of them become one.
    throw new RangeError(`entry ${row.seq}: cannot be decoded`, { cause: error });
  }
}
