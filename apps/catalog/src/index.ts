/**
 * The catalog as a library, for tools and tests. `main.ts` launches the service, which
 * `composition/` puts together.
 *
 * `ledger/` holds the books, `directory/` what the data plane reads, `outbox/` the changes it hears
 * of, `schema/` all tables; REST is `rest/` (the toolkit), `auth/`, `audit/` and `resources/`.
 * docs/architecture.md says which room may import which.
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
