/**
 * The schema as a whole: the list of tables, database connections, migrations, partitions and
 * housekeeping. A table itself is an `*.entity.ts` file beside its writer, or in `entities/` when
 * rooms beneath `resources/` read it too.
 */
export { createDataSource, openDatabase, type Database, type DatabaseOptions } from './database';
export { entities } from './entities';
export { migrateDown, migrateUp, migrationStatus, type MigrationStatus } from './migrate';
export { dropEmptyPartitions, ensurePartitions } from './partitions';
export { startHousekeeping } from './housekeeping';
