import { Client } from 'pg';
import type { DataSource } from 'typeorm';

import { createDataSource } from './database';

export interface MigrationStatus {
  applied: string[];
  pending: string[];
}

/** An arbitrary key that no other advisory lock uses. */
const MIGRATION_LOCK = 7_081_120_001;
/** A migration may rewrite a large table. */
const STATEMENT_TIMEOUT_MS = 3_600_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Runs every pending migration and returns their names. */
export function migrateUp(url: string): Promise<string[]> {
  return underLock(url, async (orm) =>
    (await orm.runMigrations()).map((migration) => migration.name),
  );
}

/** Reverts the newest migration; returns its name, or undefined when there is none. */
export function migrateDown(url: string): Promise<string | undefined> {
  return underLock(url, async (orm) => {
    const newest = (await statusOf(orm)).applied.at(-1);
    if (newest !== undefined) await orm.undoLastMigration();
    return newest;
  });
}

export function migrationStatus(url: string): Promise<MigrationStatus> {
  return underLock(url, statusOf);
}

async function statusOf(orm: DataSource): Promise<MigrationStatus> {
  const known = orm.migrations.map((migration) => migration.name ?? '');
  const rows: { name: string }[] = await orm.query(
    `SELECT name FROM schema_migration ORDER BY timestamp`,
  );
  const applied = rows.map((row) => row.name);
  return { applied, pending: known.filter((name) => !applied.includes(name)) };
}

/**
 * Serialises migrations of services that start at once. The lock belongs to a separate connection,
 * so it is released even when this process dies.
 */
async function underLock<T>(url: string, work: (orm: DataSource) => Promise<T>): Promise<T> {
  const holder = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'tollgate-migrate',
  });
  // The migration's own connection fails too and reports it; an unhandled event would end the
  // process.
  holder.on('error', () => {});
  await holder.connect();
  try {
    await holder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const orm = createDataSource({ url, poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
    await orm.initialize();
    try {
      await ensureMigrationTable(orm);
      return await work(orm);
    } finally {
      await orm.destroy();
    }
  } finally {
    await holder.end();
  }
}

async function ensureMigrationTable(orm: DataSource): Promise<void> {
  await orm.query(`CREATE TABLE IF NOT EXISTS schema_migration (
    id serial PRIMARY KEY,
    timestamp bigint NOT NULL,
    name varchar NOT NULL
  )`);
}
