import type { Pool } from 'pg';

export interface OutboxRow {
  seq: bigint;
  organisation_id: string | null;
  kind: string;
  key_sha256: Buffer | null;
  limit_ids: string[];
  shard: number | null;
  rev: bigint;
  created_at: Date;
}

/** The oldest and the newest number; both 0 when the table was always empty. */
export async function outboxBounds(pool: Pool): Promise<{ first: bigint; last: bigint }> {
  const { rows } = await pool.query<{ first: bigint; last: bigint }>(
    `SELECT coalesce(min(seq), 0) AS first, coalesce(max(seq), 0) AS last FROM outbox_event`,
  );
  return rows[0] ?? { first: 0n, last: 0n };
}

/** The next rows after a number, in commit order. */
export async function readOutbox(pool: Pool, after: bigint, limit: number): Promise<OutboxRow[]> {
  const { rows } = await pool.query<OutboxRow>({
    name: 'outbox-read',
    text: `SELECT seq, organisation_id, kind, key_sha256, limit_ids, shard, rev, created_at
      FROM outbox_event WHERE seq > $1 ORDER BY seq LIMIT $2`,
    values: [after, limit],
  });
  return rows;
}

/**
 * Deletes rows older than `keepMs`. The newest row always stays: it distinguishes a reader that is
 * up to date from one that is ahead of a restored database.
 */
export async function pruneOutbox(pool: Pool, keepMs: number): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM outbox_event
     WHERE created_at < now() - make_interval(secs => $1) AND seq < (SELECT max(seq) FROM outbox_event)`,
    [keepMs / 1000],
  );
  return rowCount ?? 0;
}
