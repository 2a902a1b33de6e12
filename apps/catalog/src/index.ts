/**
 * The catalog as a library, for tools and tests: the service itself is `main.ts`, put together in
 * `app.ts`. The books are `ledger/`, what the data plane reads `directory/`, the news it hears
 * `outbox/`, the schema `db/`; REST is `rest/` with `auth/`, `audit/` and `resources/`.
 */
export { startCatalog, type Catalog, type CatalogDeps } from './composition';
export { configShape, migrateConfigShape, type Config } from './config';
export { migrateDown, migrateUp, migrationStatus, openDatabase, type Database } from './schema';
export {
  append,
  bookQuarantined,
  rebuildRollups,
  verifyLedger,
  type LedgerVerification,
} from './ledger';
