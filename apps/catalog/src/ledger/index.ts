/**
 * The books: ledger entries become usage records, exactly once; limit windows and rollups are their
 * sums. This is the only writer of those tables. It does not know the counters in Redis, only the
 * ids of limits whose counters must be forgotten.
 *
 * `records` holds what one request is in the books; `windows`, `rollups`, `holds` and `retention`
 * build on it; `append`, `adjustments`, `operators`, `re-rating` and `verify` build on those.
 * `reports` stores what policies report beside the ledger.
 */
export { correct } from './adjustments/adjustments';
export { append } from './append/append';
export { replaceEndUser } from './records/forget-end-user';
export { createBacklogGauges } from './operators/backlog-gauges';
export { createTenantNames } from './operators/tenant-names';
export { createUpstreamGauges } from './operators/upstream-gauges';
export { bookQuarantined } from './operators/book-quarantined';
export { createLedgerService, type LedgerDeps } from './service';
export { repairRollups, rebuildRollups, type RollupRepair } from './verify/rebuild';
export { repairValueWindows, type ValueBreach, type ValueRepair } from './verify/value-windows';
export { resolveAbandoned } from './operators/resolve-abandoned';
export { enforceRetention, type Removal } from './retention/retention';
export { removeValueWindows } from './retention/value-windows';
export { startRerating } from './re-rating/rerate-runner';
export {
  verifyLedger,
  type LedgerVerification,
  type OrganisationTotals,
  type WindowBreach,
} from './verify/verify';
