import type { AuthorizeRequest__Output, DryRunReply } from '@tollgate/contracts/node';

import type { Store } from '../store';
import { allow, type AllowDeps } from './allow';
import { decide, type Answers, type DecideDeps, type Decider } from './decide-request';
import { createExplanation, type Explanation } from './explanation';
import { createStoreTime } from './store-time';

// Says what authorize would decide, by the same lines, with a store that only looks.

/** `choose` takes nothing either. */
export interface DryRunDeps extends Omit<
  DecideDeps,
  'store' | 'orphans' | 'floats' | 'onExact' | 'leaseMs'
> {
  readonly store: Pick<Store, 'tryAuthorize'>;
}

export type DryRun = (
  request: AuthorizeRequest__Output,
  deadlineAtMs: number,
) => Promise<DryRunReply>;

/**
 * Decides a request without a hold. Nothing that a later decision or the books read is changed, but
 * for caches: a key's plan, cold counters that are seeded, a shard that is opened after a loss of data.
 */
export function createDryRun(deps: DryRunDeps): DryRun {
  const time = createStoreTime(deps.clock);
  const shared = {
    ...deps,
    store: { authorize: deps.store.tryAuthorize },
    issuers: {
      ...deps.issuers,
      // A look keeps no stored object for longer.
      find: (plan, id, options) => deps.issuers.find(plan, id, { ...options, renew: false }),
    } satisfies DecideDeps['issuers'],
    // A look that is not answered has taken nothing.
    orphans: { add: () => undefined },
    floats: undefined,
    leaseMs: 0,
    nameCall: () => '',
    time,
  };
  return (request, deadlineAtMs) => {
    const explanation = createExplanation({ holdTaken: false });
    const decider: Decider<DryRunReply> = {
      ...shared,
      answers: answersWith(explanation),
      note: explanation.note,
    };
    return decide(decider, request, { caller: undefined, deadlineAtMs, patienceMs: 0 });
  };
}

function answersWith(explanation: Explanation): Answers<DryRunReply> {
  return {
    refused: explanation.refused,
    allowed: (attempt, encoded, outcome) =>
      explanation.allowed(allow(NOTHING_WRITTEN, attempt, encoded, outcome), attempt, outcome),
    denied: ({ denial }, attempt, encoded, outcome) =>
      explanation.denied(denial ?? {}, attempt, encoded, outcome),
  };
}

const NOTHING_WRITTEN: AllowDeps = {
  holdTokens: { write: () => Buffer.alloc(0) },
  softLimits: { note: () => undefined },
  leaseMs: 0,
};
