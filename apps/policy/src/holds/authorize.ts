import type {
  Allow,
  AuthorizeReply,
  AuthorizeRequest__Output,
  DryRunReply,
} from '@tollgate/contracts/node';
import type { Logger } from '@tollgate/kit';

import { denialOf } from '../decide';
import type { KeyPlan } from '../directory';
import { allow, type Attempt } from './allow';
import { PATIENCE_MS, type Caller } from './ask';
import { decide, type Answers, type DecideDeps, type Decider } from './decide-request';
import { createExplanation } from './explanation';
import type { HoldTokens } from './hold-token';
import type { Issuers } from './issuers';
import { callNames } from './orphans';
import { pendingIn } from './pending';
import type { SoftLimits } from './soft-limits';
import { createStoreTime } from './store-time';

/** Keeps what a decision is made of. */
export type KeepDecision = (
  plan: KeyPlan,
  request: AuthorizeRequest__Output,
  decision: {
    /** Of the refusal; undefined: the request is allowed. */
    readonly code: string | undefined;
    /** Called later, at most once, and only if there is room. */
    readonly explain: () => DryRunReply;
  },
) => void;

export interface AuthorizeDeps extends DecideDeps {
  readonly holdTokens: HoldTokens;
  readonly issuers: Pick<Issuers, 'begun' | 'find' | 'findItems'>;
  readonly softLimits: Pick<SoftLimits, 'note'>;
  readonly log: Logger;
  /** Of requests whose organisation keeps decisions. */
  readonly keepDecision: KeepDecision;
}

/**
 * Decides a request. When it is allowed, every hold it needs is taken, or none. Without a caller the
 * store decides.
 */
export function createAuthorize(deps: AuthorizeDeps) {
  const answers = answersOf(deps);
  const decider: Decider<AuthorizeReply> = {
    ...deps,
    answers,
    keeping: (plan, request) => keepingAnswers(deps, answers, plan, request),
    nameCall: callNames(),
    time: createStoreTime(deps.clock),
  };
  const decided = (
    request: AuthorizeRequest__Output,
    deadlineAtMs: number,
    caller?: Caller,
  ): Promise<AuthorizeReply> =>
    decide(decider, request, { caller, deadlineAtMs, patienceMs: PATIENCE_MS });
  return (...asked: Parameters<typeof decided>): Promise<AuthorizeReply> =>
    asked[0].addedTokens === 0 ? decided(...asked) : begun(deps, asked[0], decided(...asked));
}

/** Counts what an allowed request adds to its conversation, unless it was allowed before. */
async function begun(
  { directory, issuers, log }: Pick<AuthorizeDeps, 'directory' | 'issuers' | 'log'>,
  request: AuthorizeRequest__Output,
  decided: Promise<AuthorizeReply>,
): Promise<AuthorizeReply> {
  const reply = await decided;
  if (!reply.allow || reply.allow.addedTokens !== undefined) return reply;
  try {
    const plan = await directory.lookup(request.keySha256);
    reply.allow.addedTokens = plan === undefined ? 0 : await issuers.begun(plan, request);
  } catch (error) {
    // The request is allowed all the same, and counts at its end.
    log.warn('a conversation does not grow yet', { requestId: request.requestId, error });
  }
  return reply;
}

function answersOf(deps: AuthorizeDeps): Answers<AuthorizeReply> {
  return {
    refused: (refusal, plan) => ({ denial: denialOf(refusal, plan?.subject ?? null) }),
    allowed: (attempt, encoded, outcome) => {
      const reply: AuthorizeReply & { allow: Allow } = {
        allow: allow(deps, attempt, encoded, outcome),
      };
      // It may count already; then its conversation comes to more until a turn is counted.
      if (outcome.already || attempt.request.resent) reply.allow.addedTokens = 0;
      const pending = pendingOf(deps, attempt);
      if (pending !== null) reply.allow.pending = pending;
      return reply;
    },
    denied: (reply) => reply,
  };
}

/** The same answers, each kept with what it is made of. */
function keepingAnswers(
  { keepDecision }: Pick<AuthorizeDeps, 'keepDecision'>,
  answers: Answers<AuthorizeReply>,
  asked: KeyPlan,
  request: AuthorizeRequest__Output,
): Pick<Decider<AuthorizeReply>, 'answers' | 'note'> {
  const explanation = createExplanation({ holdTaken: true });
  const keep = (code: string | undefined, explain: () => DryRunReply): void =>
    keepDecision(asked, request, { code, explain });
  return {
    note: explanation.note,
    answers: {
      refused: (refusal, plan) => {
        keep(refusal.code, () => explanation.refused(refusal, plan));
        return answers.refused(refusal, plan);
      },
      allowed: (attempt, encoded, outcome) => {
        const reply = answers.allowed(attempt, encoded, outcome);
        const { allow: decided } = reply;
        if (decided && asked.keepDecisions === 'ALL') {
          keep(undefined, () => explanation.allowed(decided, attempt, outcome));
        }
        return reply;
      },
      denied: (reply, attempt, encoded, outcome) => {
        const denial = reply.denial ?? {};
        keep(denial.code, () => explanation.denied(denial, attempt, encoded, outcome));
        return answers.denied(reply, attempt, encoded, outcome);
      },
    },
  };
}

function pendingOf(deps: AuthorizeDeps, { issuer, plan, request }: Attempt) {
  return issuer === undefined ? null : pendingIn(deps, plan, request, issuer);
}
