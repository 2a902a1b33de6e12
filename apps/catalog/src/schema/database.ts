import 'reflect-metadata';

import { Pool } from 'pg';
import { DataSource } from 'typeorm';

import { exactTypes } from '../db/exact-types';
import { entities } from './entities';
import { migrations } from './migrations';
import { SnakeNaming } from './naming';

export interface DatabaseOptions {
  url: string;
  /** Connections of the ORM's pool; the ledger's pool has the same size. */
  poolSize?: number;
  /** The server cancels a longer statement. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
}

export interface Database {
  /** Entities and transactions, for everything off the hot path. */
  orm: DataSource;
  /** Plain connections for the ledger, the directory and the outbox; int8 is read as a bigint. */
  pool: Pool;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A frozen server cancels nothing, so the client closes the connection this much later. */
const QUERY_GRACE_MS = 5_000;
const IDLE_IN_TRANSACTION_MS = 60_000;

export function createDataSource(options: DatabaseOptions): DataSource {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  return new DataSource({
    type: 'postgres',
    url: options.url,
    entities,
    migrations,
    migrationsTableName: 'schema_migration',
    migrationsTransactionMode: 'each',
    namingStrategy: new SnakeNaming(),
    synchronize: false,
    installExtensions: false,
    poolSize: options.poolSize ?? 10,
    applicationName: 'tollgate-catalog',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    poolErrorHandler: options.onError ?? (() => {}),
    extra: {
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + QUERY_GRACE_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
  });
}

/** Connects without migrating. Throws when the server is unreachable. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const orm = createDataSource(options);
  await orm.initialize();
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    application_name: 'tollgate-catalog-ledger',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + QUERY_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    types: exactTypes,
  });
  // The pool replaces a broken idle connection; an unhandled error event would end the process.
  pool.on('error', options.onError ?? (() => {}));
  // A connection that breaks within a transaction fails the next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    orm,
    pool,
    async close() {
      await pool.end();
      await orm.destroy();
    },
  };
}
