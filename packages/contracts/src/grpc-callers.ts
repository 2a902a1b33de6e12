// Who may call what. A method without a row may be called by nobody.

/** Names of service tokens: the services, any other service of the house, and operators' tools. */
export const CALLERS = ['edge', 'policy', 'catalog', 'admin', 'internal', 'ops'] as const;
export type Caller = (typeof CALLERS)[number];

const POLICY = '/tollgate.policy.v1.PolicyService';
const DIRECTORY = '/tollgate.catalog.v1.Directory';
const LEDGER = '/tollgate.catalog.v1.Ledger';

export const GRPC_CALLERS: Readonly<Record<string, readonly Caller[]>> = {
  [`${POLICY}/Authorize`]: ['edge', 'internal'],
  [`${POLICY}/Extend`]: ['edge', 'internal'],
  [`${POLICY}/Settle`]: ['edge', 'internal'],
  [`${POLICY}/ValidateKey`]: ['edge', 'internal'],
  [`${POLICY}/Invalidate`]: ['edge', 'internal', 'ops'],
  [`${POLICY}/Health`]: ['edge', 'internal'],
  [`${POLICY}/Session`]: ['edge'],
  [`${DIRECTORY}/ResolveKey`]: ['policy'],
  [`${DIRECTORY}/ResolveKeys`]: ['policy'],
  [`${DIRECTORY}/GetConnection`]: ['edge'],
  [`${DIRECTORY}/WatchInvalidations`]: ['policy'],
  [`${LEDGER}/Append`]: ['policy'],
  [`${LEDGER}/WindowTotals`]: ['policy'],
  [`${LEDGER}/GetShards`]: ['policy'],
  [`${LEDGER}/AdvanceEpoch`]: ['policy'],
  [`${LEDGER}/Checkpoint`]: ['policy'],
  [`${LEDGER}/ReportSoftLimits`]: ['policy'],
  [`${LEDGER}/Report`]: ['policy'],
};
