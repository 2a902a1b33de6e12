// Which caller may use which method. A method without a row is closed to everybody.

/** Names with rights of their own: Tollgate's services, and operators' tools. */
export const RESERVED_CALLERS = ['edge', 'policy', 'catalog', 'admin', 'runner', 'ops'] as const;

/** The callers of the rows below. Every name that is not reserved is an internal service. */
export const CALLERS = [...RESERVED_CALLERS, 'internal'] as const;
export type Caller = (typeof CALLERS)[number];

/** The row of a caller, by the name of its token. */
export function callerRole(name: string): Caller {
  return RESERVED_CALLERS.find((reserved) => reserved === name) ?? 'internal';
}

const POLICY = '/tollgate.policy.v1.PolicyService';
const DIRECTORY = '/tollgate.catalog.v1.Directory';
const LEDGER = '/tollgate.catalog.v1.Ledger';

export const GRPC_CALLERS: Readonly<Record<string, readonly Caller[]>> = {
  [`${POLICY}/Authorize`]: ['edge', 'internal'],
  [`${POLICY}/DryRun`]: ['edge', 'internal'],
  [`${POLICY}/Extend`]: ['edge', 'internal'],
  [`${POLICY}/Settle`]: ['edge', 'internal'],
  [`${POLICY}/ValidateKey`]: ['edge', 'internal'],
  [`${POLICY}/Invalidate`]: ['edge', 'internal', 'ops'],
  [`${POLICY}/Health`]: ['edge', 'internal'],
  [`${POLICY}/Session`]: ['edge'],
  [`${DIRECTORY}/ResolveKey`]: ['policy'],
  [`${DIRECTORY}/ResolveKeys`]: ['policy'],
  [`${DIRECTORY}/GetConnection`]: ['edge'],
  [`${DIRECTORY}/GetMcpConnection`]: ['edge', 'runner'],
  [`${DIRECTORY}/GetMcpSignIn`]: ['edge'],
  [`${DIRECTORY}/GetScreeningPolicy`]: ['edge'],
  [`${DIRECTORY}/WatchInvalidations`]: ['policy'],
  [`${LEDGER}/Append`]: ['policy'],
  [`${LEDGER}/WindowTotals`]: ['policy'],
  [`${LEDGER}/GetShards`]: ['policy'],
  [`${LEDGER}/AdvanceEpoch`]: ['policy'],
  [`${LEDGER}/Checkpoint`]: ['policy'],
  [`${LEDGER}/ReportSoftLimits`]: ['policy'],
  [`${LEDGER}/Report`]: ['policy'],
  [`${LEDGER}/ReportRefused`]: ['edge'],
  [`${LEDGER}/ReportDecisions`]: ['policy'],
  [`${LEDGER}/KeepBodies`]: ['edge'],
};
