import { systemClock, uuidv7Floor, type Clock } from '@tollgate/kit';
import type { Pool, PoolClient } from 'pg';

import { inTransaction } from '../db/transaction';

/** Months created in advance. */
const MONTHS_AHEAD = 3;
const PARTITION_LOCK = 7_081_120_002;
const CHECK_VIOLATION = '23514';
const LOCK_TIMEOUT_MS = 2_000;

/** The tables that are partitioned by month, with the columns that depend on the organisation. */
const PARTITIONED = {
  usage_record: 'team_id, user_id, api_key_id, model_id, provider_id, mcp_server_id',
  mcp_usage_record: 'team_id, user_id, api_key_id, mcp_server_id',
} as const;
type Partitioned = keyof typeof PARTITIONED;
const TABLES = Object.keys(PARTITIONED) as Partitioned[];

/**
 * Creates partitions from the last month to three ahead. Moves rows of a month out of the default
 * partition. Idempotent, also across replicas.
 */
export async function ensurePartitions(pool: Pool, clock: Clock = systemClock): Promise<string[]> {
  const now = new Date(clock.now());
  const made: string[] = [];
  for (let month = -1; month <= MONTHS_AHEAD; month += 1) {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month));
    const end = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month + 1));
    const span = { from: uuidv7Floor(start.getTime()), to: uuidv7Floor(end.getTime()) };
    for (const table of TABLES) {
      const name = partitionAt(table, start);
      if (await ensurePartition(pool, table, name, span)) made.push(name);
    }
  }
  for (const table of TABLES) await describeOwners(pool, table);
  return made;
}

function partitionAt(table: Partitioned, month: Date): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}

/**
 * Each team, user, key, model, provider or MCP server belongs to one organisation. Without these
 * statistics the planner underestimates queries that filter on both and sorts all their rows.
 */
async function describeOwners(pool: Pool, table: Partitioned): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass AND NOT EXISTS (
       SELECT FROM pg_statistic_ext s WHERE s.stxname = c.relname || '_owners') ORDER BY 1`,
    [table],
  );
  for (const { name } of rows) {
    await locked(pool, async (tx) => {
      await tx.query(`CREATE STATISTICS IF NOT EXISTS ${name}_owners (dependencies)
        ON organisation_id, ${PARTITIONED[table]} FROM ${name}`);
      await tx.query(`ANALYZE ${name}`);
    });
  }
}

/**
 * Drops past months that retention has emptied. A later record of such a month goes to the default
 * partition.
 */
export async function dropEmptyPartitions(
  pool: Pool,
  clock: Clock = systemClock,
): Promise<string[]> {
  const now = new Date(clock.now());
  const current = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1));
  const dropped: string[] = [];
  for (const table of TABLES) {
    dropped.push(...(await dropEmptyBefore(pool, table, partitionAt(table, current))));
  }
  return dropped;
}

async function dropEmptyBefore(pool: Pool, table: Partitioned, first: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass
       AND c.relname ~ ('^' || $1::regclass::text || '_[0-9]{4}_[0-9]{2}$') AND c.relname < $2 ORDER BY 1`,
    [table, first],
  );
  const dropped: string[] = [];
  for (const { name } of rows) {
    await locked(pool, async (tx) => {
      // Another replica may have dropped it. Asked of the table of tables, because to_regclass may still
      // answer from this connection's cache.
      const known = await tx.query('SELECT FROM pg_class WHERE relname = $1', [name]);
      if (known.rows.length === 0 || !(await isEmpty(tx, name))) return;
      await tx.query(`LOCK TABLE ${table}, ${name} IN ACCESS EXCLUSIVE MODE`);
      if (!(await isEmpty(tx, name))) return;
      await tx.query(`DROP TABLE ${name}`);
      dropped.push(name);
    });
  }
  return dropped;
}

/** `name` must be a trusted identifier. */
async function isEmpty(tx: PoolClient, name: string): Promise<boolean> {
  const { rows } = await tx.query(`SELECT FROM ${name} LIMIT 1`);
  return rows.length === 0;
}

/** Returns whether the partition was created. `from` and `to` must be trusted ids. */
async function ensurePartition(
  pool: Pool,
  table: Partitioned,
  name: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const known = await pool.query('SELECT to_regclass($1) IS NOT NULL AS known', [name]);
  if (known.rows[0]?.known === true) return false;
  const create = `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table}
    FOR VALUES FROM ('${from}') TO ('${to}')`;
  try {
    await locked(pool, (tx) => tx.query(create));
  } catch (error) {
    if ((error as { code?: string }).code !== CHECK_VIOLATION) throw error;
    await locked(pool, async (tx) => {
      await tx.query(`CREATE TEMPORARY TABLE misplaced ON COMMIT DROP AS
        SELECT * FROM ${table}_default WHERE id >= '${from}' AND id < '${to}'`);
      await tx.query(`DELETE FROM ${table}_default WHERE id >= '${from}' AND id < '${to}'`);
      await tx.query(create);
      await tx.query(`INSERT INTO ${table} SELECT * FROM misplaced`);
    });
  }
  return true;
}

async function locked(pool: Pool, work: (tx: PoolClient) => Promise<unknown>): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
    // Bookings queue behind our lock request while we wait for a long read, so give up and retry
    // later.
    await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
    await work(tx);
  });
}
