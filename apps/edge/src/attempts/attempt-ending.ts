// How an attempt ends: it wins, or it is booked with what its upstream may bill.

import type { Candidate__Output } from '@tollgate/contracts/node';

import {
  chargeFor,
  chargeForBroken,
  chargeForCut,
  consumptionSoFar,
  NO_CHARGE,
} from '../exchange/charge';
import { bookSideCharge, type Charge } from '../exchange/exchange';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import { present } from '../formats/json';
import { aborted, type AnswerConsumption, type UpstreamFailure } from '../upstream/failure';
import { remove, win, type AttemptState, type RunningAttempt } from './attempt-state';

/** @throws UpstreamFailure if another attempt won */
export function won(state: AttemptState, runningAttempt: RunningAttempt): void {
  // The winner has already booked this attempt as given up.
  if (runningAttempt.over) throw aborted();
  win(state, runningAttempt);
}

/** Books a failed attempt. */
export function failed(
  state: AttemptState,
  runningAttempt: RunningAttempt,
  failure: UpstreamFailure,
): void {
  const { attempt, call, candidate } = runningAttempt;
  const { httpStatus = 0 } = attempt;
  // Without a credential nothing was sent.
  const garbled = failure.sent && httpStatus === 0 && failure.outcome === 'INVALID_RESPONSE';
  failure.answered =
    garbled || isCut(runningAttempt, failure) || (httpStatus >= 200 && httpStatus < 300);
  call.abort();
  if (runningAttempt.over) return;
  runningAttempt.over = true;
  remove(state.running, runningAttempt);
  attempt.outcome = failure.outcome;
  bookSideCharge(
    state.exchange,
    attempt,
    candidate,
    chargeForFailed(state, runningAttempt, failure),
  );
}

/** An operator limit ended a running attempt, so the upstream is not at fault. */
function isCut({ attempt, call }: RunningAttempt, failure: UpstreamFailure): boolean {
  return failure.own && call.sent() && (attempt.httpStatus ?? 0) < 300;
}

// An upstream's own failure is charged only as far as the upstream reported usage.
function chargeForFailed(
  state: AttemptState,
  runningAttempt: RunningAttempt,
  failure: UpstreamFailure,
): Charge {
  const { exchange, gateway } = state;
  const { job } = exchange;
  const { candidate, passage } = runningAttempt;
  if (passage) dropImplausibleUsage(gateway, exchange, candidate, passage.report);
  if (isCut(runningAttempt, failure)) {
    return passage
      ? chargeForCut(candidate, job, passage.report)
      : chargeFor(candidate, consumptionSoFar(job, undefined));
  }
  if (passage) return chargeForBroken(candidate, job, passage.report);
  const { consumed } = failure;
  if (consumed) {
    dropImplausibleUsage(gateway, exchange, candidate, consumed);
    return job?.free ? NO_CHARGE : chargeForFailedAnswer(candidate, consumed);
  }
  // An upstream that never responded may still have billed the call, so the cost is unknown.
  const unknown = failure.sent && failure.status === 0;
  return unknown ? { ...NO_CHARGE, quality: 'UNKNOWN' } : NO_CHARGE;
}

/** The charge for a whole answer that failed: only what the upstream reported. */
function chargeForFailedAnswer(
  candidate: Candidate__Output,
  { tiers, units, unitsEstimated, usage }: AnswerConsumption,
): Charge {
  const counted = present({ tiers, units: unitsEstimated ? undefined : units, usage });
  if (usage) return chargeFor(candidate, counted);
  const charge = counted.units ? chargeFor(candidate, counted) : NO_CHARGE;
  return { ...charge, quality: 'UNKNOWN' };
}
