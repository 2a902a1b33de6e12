import type { AuthorizeRequest, DryRunReply__Output } from '@tollgate/contracts/node';

import type { DryRunRate } from './rate';

/** What requests need that ask what would be decided. */
export interface DryRuns {
  /** @throws GatewayError `dependency_unavailable` */
  ask: (question: AuthorizeRequest) => Promise<DryRunReply__Output>;
  rate: DryRunRate;
}
