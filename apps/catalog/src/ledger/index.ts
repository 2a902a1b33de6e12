/**
 * The books: ledger entries become usage records, exactly once; limit windows and hourly rollups are
 * their sums. The only writer of those tables. Knows nothing of the counters in Redis beyond the
 * names of limits that must be forgotten there.
 */
export { correct } from './adjust';
export { append } from './append';
export { createBacklogGauges } from './backlog';
export { bookQuarantined } from './quarantine';
export { createLedgerService, type LedgerDeps } from './service';
export { mendRollups, rebuildRollups, type Mended } from './rebuild';
export { resolveAbandoned } from './resolve';
export { enforceRetention, type Removal } from './retention';
export { startRerating } from './rerate-runner';
export {
  verifyLedger,
  type LedgerVerification,
  type OrganisationTotals,
  type WindowBreach,
} from './verify';
