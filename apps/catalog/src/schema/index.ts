/**
 * The schema as a whole: the list of tables, connections that know it, migrations, partitions and
 * housekeeping. A table itself is an `*.entity.ts` file in the room of its writer, or in `entities/`.
 */
export { createDataSource, openDatabase, type Database, type DatabaseOptions } from './database';
export { entities } from './entities';
export { migrateDown, migrateUp, migrationStatus, type MigrationStatus } from './migrate';
export { dropEmptyPartitions, ensurePartitions } from './partitions';
export { startHousekeeping } from './housekeeping';
