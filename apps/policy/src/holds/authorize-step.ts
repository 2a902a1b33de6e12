import type { AuthorizeReply } from '@tollgate/contracts/node';

import type { HoldSize } from '../decide';
import { Failure, invalidArgument, unavailable } from '../failure';
import type { EpochOutcome } from '../store';
import type { Decided } from './ask';
import { deny, lower, withoutUnfit, type DeniedAttempt, type Deny } from './denied';

// The next action of a request after an outcome of the store. Pure; ./authorize carries it out.

/** A request that passed every check except the limits, with the hold that it asked for. */
export interface AskedHold extends DeniedAttempt {
  /** Counters are seeded only for the first denial of a request. */
  readonly deniedBefore: boolean;
}

type Allowed = Decided & { kind: 'ALLOW' };

export type NextAction =
  | { readonly kind: 'ALLOW'; readonly outcome: Allowed }
  | { readonly kind: 'DENY'; readonly reply: AuthorizeReply; readonly outcome: Deny }
  /** Ask again, with windows computed at the store's time. */
  | { readonly kind: 'ASK_AGAIN' }
  /** Ask for a smaller hold. `clamped`: the output bound was lowered to what a budget affords. */
  | { readonly kind: 'RESIZE'; readonly size: HoldSize; readonly clamped: boolean }
  /**
   * Seed cold counters, then ask again. Without `required` the refusal is already certain and the
   * counters only complete its figures, so a failure to seed them is ignored.
   */
  | { readonly kind: 'SEED'; readonly limitIds: readonly string[]; readonly required: boolean }
  | { readonly kind: 'FOLLOW_EPOCH'; readonly outcome: EpochOutcome }
  | { readonly kind: 'FAIL'; readonly failure: Failure };

export function nextAction(asked: AskedHold, outcome: Decided): NextAction {
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

function afterDenial(asked: AskedHold, outcome: Deny): NextAction {
  const { coldLimitIds } = outcome;
  if (!asked.deniedBefore && coldLimitIds.length > 0) {
    return { kind: 'SEED', limitIds: coldLimitIds, required: false };
  }
  const fewer = withoutUnfit(asked, outcome);
  if (fewer !== undefined) return { kind: 'RESIZE', size: fewer, clamped: false };
  const lowered = lower(asked, outcome);
  if (lowered !== undefined) return { kind: 'RESIZE', size: lowered, clamped: true };
  return { kind: 'DENY', reply: deny(asked, outcome), outcome };
}

/**
 * The store's time in an outcome; undefined: there is none, it dates from an earlier call, or it was
 * estimated.
 */
export function storeTimeIn(outcome: Decided): number | undefined {
  switch (outcome.kind) {
    case 'ALLOW':
      return outcome.already || outcome.floatId !== undefined ? undefined : outcome.nowMs;
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
