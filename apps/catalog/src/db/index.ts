/**
 * The catalog's PostgreSQL: connections, the list of tables, migrations and partitions. Tables
 * themselves are the `*.entity.ts` files of each resource.
 */
export { createDataSource, openDatabase, type Database, type DatabaseOptions } from './database';
export { entities } from './entities';
export { migrateCommand } from './migrate-command';
export { migrateDown, migrateUp, migrationStatus, type MigrationStatus } from './migrate';
export { dropEmptyPartitions, ensurePartitions } from './partitions';
export { inTransaction, transactionOf, type Isolation, type Tx } from './transaction';
export { grpcAnswer, isDatabaseAway, isDataRefused } from './failure';
