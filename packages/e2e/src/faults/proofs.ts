import { failureTable } from './failure-table';
import { mcpCalls } from './mcp-calls';
import { overlong } from './overlong';
import type { Proof } from './proof';
import { rates } from './rates';
import { revocation } from './revocation';
import { upstreamLost } from './upstream-lost';

/** The proofs of `npm run faults` after its scenarios, in order. */
export const PROOFS: readonly Proof[] = [
  rates,
  revocation,
  failureTable,
  upstreamLost,
  overlong,
  mcpCalls,
];
