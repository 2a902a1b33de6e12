import type { Tx } from '../db';
import { linesOf, payloadOf } from './batch-payload';

export interface Forgotten {
  readonly organisationId: string;
  readonly endUser: string;
  /** Stands for the name. */
  readonly by: string;
}

/**
 * Replaces the name of an end user in batches that wait for delivery, and returns in how many lines. Nothing else of a
 * batch changes: it keeps its id, its number and its rows. A delivery that is being sent keeps the name.
 */
export async function replaceEndUserInBatches(tx: Tx, forgotten: Forgotten): Promise<number> {
  // A batch that is being made has read the records with the name: it is waited for, and later ones wait.
  await tx.query(
    `SELECT FROM export_destination WHERE organisation_id = $1 OR organisation_id IS NULL
      ORDER BY id FOR UPDATE`,
    [forgotten.organisationId],
  );
  const { rows: waiting } = await tx.query<{ id: string }>(
    `SELECT b.id FROM export_batch b JOIN export_destination d ON d.id = b.destination_id
      WHERE b.status = 'PENDING' AND b.record = 'USAGE'
        AND (d.organisation_id = $1 OR d.organisation_id IS NULL)`,
    [forgotten.organisationId],
  );
  let changed = 0;
  // One after the other, so that one payload is in memory.
  for (const { id } of waiting) changed += await replaceInBatch(tx, id, forgotten);
  return changed;
}

async function replaceInBatch(tx: Tx, id: string, forgotten: Forgotten): Promise<number> {
  const { rows } = await tx.query<{ compressed: boolean; payload: Buffer }>(
    'SELECT compressed, payload FROM export_batch WHERE id = $1',
    [id],
  );
  const [batch] = rows;
  if (batch === undefined) return 0;
  const { lines, changed } = replaceInLines(
    await linesOf(batch.payload, batch.compressed),
    forgotten,
  );
  if (changed === 0) return 0;
  const payload = await payloadOf(lines, batch.compressed);
  await tx.query('UPDATE export_batch SET payload = $2, byte_count = $3 WHERE id = $1', [
    id,
    payload,
    payload.length,
  ]);
  return changed;
}

function replaceInLines(
  text: string,
  { organisationId, endUser, by }: Forgotten,
): { lines: string; changed: number } {
  const written = JSON.stringify(endUser);
  let changed = 0;
  const lines = text.split('\n').map((line) => {
    if (!line.includes(written)) return line;
    const row = JSON.parse(line) as Record<string, unknown>;
    if (row['organisationId'] !== organisationId || row['endUser'] !== endUser) return line;
    changed += 1;
    return JSON.stringify({ ...row, endUser: by });
  });
  return { lines: lines.join('\n'), changed };
}
