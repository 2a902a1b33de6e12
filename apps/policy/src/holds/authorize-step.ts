import type { AuthorizeReply } from '@tollgate/contracts/node';

import type { HoldSize } from '../decide';
import { Failure, invalidArgument, unavailable } from '../failure';
import type { AuthorizeOutcome, EpochOutcome } from '../store';
import { type DeniedAttempt, deny, lower, withoutUnfit } from './denied';

// What a request does next after one answer of the store. Pure: ./authorize carries the action out.

/** A request that passed every check but the limits, with the hold that it asked the store for. */
export interface AskedHold extends DeniedAttempt {
  /** Counters are seeded for the first denial of a request only. */
  readonly deniedBefore: boolean;
}

type Allowed = AuthorizeOutcome & { kind: 'ALLOW' };

export type NextAction =
  | { readonly kind: 'ALLOW'; readonly outcome: Allowed }
  | { readonly kind: 'DENY'; readonly reply: AuthorizeReply }
  /** Ask again, with windows computed at the store's time. */
  | { readonly kind: 'ASK_AGAIN' }
  /** Ask for a smaller hold. `clamped`: its output bound was lowered to what a budget affords. */
  | { readonly kind: 'RESIZE'; readonly size: HoldSize; readonly clamped: boolean }
  /**
   * Make cold counters known, then ask again. When `required` is false the refusal is certain already:
   * the counters only make it more exact, so a failure to seed them is not one of the request.
   */
  | { readonly kind: 'SEED'; readonly limitIds: readonly string[]; readonly required: boolean }
  | { readonly kind: 'FOLLOW_EPOCH'; readonly outcome: EpochOutcome }
  | { readonly kind: 'FAIL'; readonly failure: Failure };

export function nextAction(asked: AskedHold, outcome: AuthorizeOutcome): NextAction {
  switch (outcome.kind) {
    case 'ALLOW':
      return { kind: 'ALLOW', outcome };
    case 'DENY':
      return afterDenial(asked, outcome);
    case 'COLD':
      return { kind: 'SEED', limitIds: outcome.limitIds, required: true };
    case 'CLOCK':
      return { kind: 'ASK_AGAIN' };
    case 'EPOCH':
      return { kind: 'FOLLOW_EPOCH', outcome };
    case 'CLOSED':
      return fail(unavailable('redis', 'the shard is closed for a moment after a loss of data'));
    case 'LEDGER_FULL': {
      const waiting = `${String(outcome.undrained)} ledger entries wait for the catalog`;
      return fail(new Failure('RESOURCE_EXHAUSTED', waiting, 'catalog'));
    }
    case 'ENDED':
      return fail(invalidArgument(`request_id: this request has ended (${outcome.state})`));
  }
}

function fail(failure: Failure): NextAction {
  return { kind: 'FAIL', failure };
}

function afterDenial(asked: AskedHold, outcome: AuthorizeOutcome & { kind: 'DENY' }): NextAction {
  const { coldLimitIds } = outcome;
  if (!asked.deniedBefore && coldLimitIds.length > 0) {
    return { kind: 'SEED', limitIds: coldLimitIds, required: false };
  }
  const fewer = withoutUnfit(asked, outcome);
  if (fewer !== undefined) return { kind: 'RESIZE', size: fewer, clamped: false };
  const lowered = lower(asked, outcome);
  if (lowered !== undefined) return { kind: 'RESIZE', size: lowered, clamped: true };
  return { kind: 'DENY', reply: deny(asked, outcome) };
}

/** The store's time in an outcome; undefined: it carries none, or that of an earlier call. */
export function storeTimeIn(outcome: AuthorizeOutcome): number | undefined {
  switch (outcome.kind) {
    case 'ALLOW':
      return outcome.already ? undefined : outcome.nowMs;
    case 'DENY':
    case 'CLOCK':
      return outcome.nowMs;
    case 'COLD':
    case 'EPOCH':
    case 'CLOSED':
    case 'LEDGER_FULL':
    case 'ENDED':
      return undefined;
  }
}
