import type { AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';

import { denialOf } from '../decide';
import { allow, type Attempt } from './allow';
import { PATIENCE_MS, type Caller } from './ask';
import { decide, type Answers, type DecideDeps, type Decider } from './decide-request';
import type { HoldTokens } from './hold-token';
import { callNames } from './orphans';
import { pendingIn } from './pending';
import type { SoftLimits } from './soft-limits';
import { createStoreTime } from './store-time';

export interface AuthorizeDeps extends DecideDeps {
  readonly holdTokens: HoldTokens;
  readonly softLimits: Pick<SoftLimits, 'note'>;
}

/**
 * Decides a request. When it is allowed, every hold it needs is taken, or none. Without a caller the
 * store decides.
 */
export function createAuthorize(deps: AuthorizeDeps) {
  const decider: Decider<AuthorizeReply> = {
    ...deps,
    answers: answersOf(deps),
    nameCall: callNames(),
    time: createStoreTime(deps.clock),
  };
  return (
    request: AuthorizeRequest__Output,
    deadlineAtMs: number,
    caller?: Caller,
  ): Promise<AuthorizeReply> =>
    decide(decider, request, { caller, deadlineAtMs, patienceMs: PATIENCE_MS });
}

function answersOf(deps: AuthorizeDeps): Answers<AuthorizeReply> {
  return {
    refused: (refusal, plan) => ({ denial: denialOf(refusal, plan?.subject ?? null) }),
    allowed: (attempt, encoded, outcome) => {
      const reply = { allow: allow(deps, attempt, encoded, outcome) };
      const pending = pendingOf(deps, attempt);
      if (pending !== null) reply.allow.pending = pending;
      return reply;
    },
    denied: (reply) => reply,
  };
}

function pendingOf(deps: AuthorizeDeps, { issuer, plan, request }: Attempt) {
  return issuer === undefined ? null : pendingIn(deps, plan, request, issuer);
}
