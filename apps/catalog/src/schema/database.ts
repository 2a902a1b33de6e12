import 'reflect-metadata';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { entities } from './entities';
import { exactTypes } from '../db/exact-types';
import { migrations } from './migrations';
import { SnakeNaming } from './naming';

export type DatabaseOptions = {
  url: string;
  /** Connections of the pool that REST reads and writes with; the ledger has as many of its own. */
  poolSize?: number;
  /** A statement that runs longer is cancelled by the server. */
  statementTimeoutMs?: number;
  onError?: (error: Error) => void;
};

export type Database = {
  /** Entities and transactions, for everything that is not hot. */
  orm: DataSource;
  /** Plain connections for the ledger, the directory and the outbox; int8 comes as a bigint. */
  pool: Pool;
  close(): Promise<void>;
};

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** A server that is frozen cancels nothing itself: its connection is given up a little later. */
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

/** Connects; runs no migration. Fails when the server cannot be reached. */
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
  // An idle connection that breaks is replaced by the pool; unheard, its error would end the process.
  pool.on('error', options.onError ?? (() => {}));
  // One that breaks between two statements of a transaction fails the next of them.
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
