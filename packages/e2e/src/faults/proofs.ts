import { failureTable } from './failure-table';
import { overlong } from './overlong';
import type { Proof } from './proof';
import { rates } from './rates';
import { revocation } from './revocation';
import { upstreamLost } from './upstream-lost';

/** What `npm run faults` proves after its scenarios, in this order. */
export const PROOFS: readonly Proof[] = [rates, revocation, failureTable, upstreamLost, overlong];
