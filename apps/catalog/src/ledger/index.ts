/**
 * The books: ledger entries become usage records, exactly once; limit windows and hourly rollups are
 * their sums. The only writer of those tables. Knows nothing of the counters in Redis beyond the
 * names of limits that must be forgotten there.
 */
export { correct } from './adjustments/adjustments';
export { append } from './append/append';
export { createBacklogGauges } from './operators/backlog-gauges';
export { bookQuarantined } from './operators/book-quarantined';
export { createLedgerService, type LedgerDeps } from './service';
export { mendRollups, rebuildRollups, type Mended } from './verify/rebuild';
export { resolveAbandoned } from './operators/resolve-abandoned';
export { enforceRetention, type Removal } from './retention/retention';
export { startRerating } from './re-rating/rerate-runner';
export {
  verifyLedger,
  type LedgerVerification,
  type OrganisationTotals,
  type WindowBreach,
} from './verify/verify';
