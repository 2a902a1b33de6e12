/**
 * `node dist/verify.js`: checks the books against themselves and prints one line of JSON: the
 * result, every shard's position and every open window, for comparison with the live counters. Exit
 * code 0 when the books agree, 1 when not, 2 when configured wrongly.
 */
import { shardOf } from '@tollgate/contracts';
import { ConfigError, readConfig } from '@tollgate/kit';
import type { Pool } from 'pg';

import { environment, migrateConfigShape } from './config';
import { verifyLedger } from './ledger';
import { openDatabase } from './schema';

interface OpenWindow {
  shard: number;
  organisationId: string;
  limitId: string;
  startMs: number;
  endMs: number;
  settled: bigint;
}

const STATEMENT_TIMEOUT_MS = 600_000;

async function openWindows(pool: Pool): Promise<OpenWindow[]> {
  const { rows } = await pool.query<Omit<OpenWindow, 'shard'>>(`
    SELECT organisation_id AS "organisationId", limit_id AS "limitId", settled,
      (extract(epoch FROM starts_at) * 1000)::float8 AS "startMs",
      (extract(epoch FROM ends_at) * 1000)::float8 AS "endMs"
    FROM (
      SELECT organisation_id, budget_id AS limit_id, starts_at, ends_at, spent_nano_usd AS settled
        FROM budget_window
      UNION ALL
      SELECT organisation_id, quota_id, starts_at, ends_at, used FROM quota_window
    ) AS windows
    WHERE starts_at <= now() AND now() < ends_at`);
  return rows.map((row) => ({ ...row, shard: shardOf(row.organisationId) }));
}

async function shardPositions(pool: Pool): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT id AS shard, epoch, last_seq AS "lastSeq", rev FROM ledger_shard ORDER BY id`,
  );
  return rows;
}

async function main(): Promise<number> {
  const config = readConfig('catalog', migrateConfigShape, environment);
  const database = await openDatabase({
    url: config.DATABASE_URL,
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const shards = await shardPositions(database.pool);
    const windows = await openWindows(database.pool);
    const books = await verifyLedger(database.pool);
    const text = JSON.stringify({ books, shards, windows }, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    process.stdout.write(`${text}\n`);
    return books.ok ? 0 : 1;
  } finally {
    await database.close();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
  },
);
