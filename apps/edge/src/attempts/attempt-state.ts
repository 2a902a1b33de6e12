// What the attempts of one request share: which calls are under way, and that only one of them wins.

import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';
import type { Passage } from '../operations';
import { aborted, timedOut, type UpstreamFailure } from '../upstream/failure';
import type { RunningCall } from '../upstream/call';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import { chargeFor, NO_CHARGE, consumptionSoFar } from '../exchange/charge';
import { bookSideCharge, type AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { Planned } from './plan';
import type { RoutingRules } from './rules';

/** One call under way. */
export type RunningAttempt = {
  attempt: Attempt;
  candidate: Candidate__Output;
  call: RunningCall;
  startedMs: number;
  /** What its stream goes through, once it streams. */
  passage: Passage | undefined;
  /** Its end has been recorded. */
  over: boolean;
};

export type AttemptState = {
  readonly gateway: Gateway;
  readonly exchange: AuthorisedExchange;
  readonly rules: RoutingRules;
  /** Monotonic instant of the first attempt. */
  readonly startedMs: number;
  /** Candidates that have not been tried, in their order. */
  readonly left: Planned[];
  readonly running: RunningAttempt[];
  /** Ends pauses before their time. */
  readonly wakePauses: (() => void)[];
  /** The hold was raised for a second bill: it has none to spare for a third. */
  holdExtended: boolean;
  /** Why nothing more is to be tried: there is an answer, the client has left, or time is up. */
  stopped: 'won' | 'gone' | 'late' | undefined;
};

/** The first with something to send: all others are given up, and booked. */
export function win(state: AttemptState, runningAttempt: RunningAttempt): void {
  runningAttempt.over = true;
  remove(state.running, runningAttempt);
  stop(state, 'won');
}

/** Gives up whatever is under way. */
export function stop(state: AttemptState, why: NonNullable<AttemptState['stopped']>): void {
  state.stopped ??= why;
  const { running, wakePauses } = state;
  for (let runningAttempt = running.shift(); runningAttempt; runningAttempt = running.shift())
    giveUp(state, runningAttempt, why);
  for (let wake = wakePauses.shift(); wake; wake = wakePauses.shift()) wake();
}

// What an upstream has been asked for it may bill, though nobody waits for it any more.
function giveUp(
  state: AttemptState,
  runningAttempt: RunningAttempt,
  why: NonNullable<AttemptState['stopped']>,
): void {
  const { exchange, gateway } = state;
  if (runningAttempt.over) return;
  runningAttempt.over = true;
  const { attempt, call, candidate, passage } = runningAttempt;
  const late = why === 'late';
  attempt.outcome = late ? 'TIMEOUT' : 'ABORTED';
  attempt.latencyMs = Math.round(gateway.nowMs() - runningAttempt.startedMs);
  if (why === 'gone') exchange.ending.candidate = candidate;
  if (passage) dropImplausibleUsage(gateway, exchange, candidate, passage.report);
  const charge = call.sent()
    ? chargeFor(candidate, consumptionSoFar(exchange.job, passage?.report))
    : NO_CHARGE;
  bookSideCharge(exchange, attempt, candidate, charge);
  call.abort(late ? outOfTime() : aborted());
}

export function outOfTime(): UpstreamFailure {
  return timedOut('all attempts together');
}

/** Waits, but not beyond the end of all attempts. */
export function pause(state: AttemptState, ms: number): Promise<void> {
  if (state.stopped) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      remove(state.wakePauses, wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    state.wakePauses.push(wake);
  });
}

/** Of lists that hardly ever hold more than one. */
export function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
