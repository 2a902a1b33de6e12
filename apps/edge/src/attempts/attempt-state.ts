// The state shared by all attempts of one request: the running calls, and the rule that only one
// wins.

import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';

import { NO_CHARGE } from '../exchange/charge';
import { bookSideCharge, type AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { chargeForGivenUp } from '../exchange/given-up';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import type { Passage } from '../operations';
import type { RunningCall } from '../upstream/call';
import { aborted, timedOut, type UpstreamFailure } from '../upstream/failure';
import type { Planned } from './plan';
import type { RoutingRules } from './rules';

/** One call that is running. */
export interface RunningAttempt {
  attempt: Attempt;
  candidate: Candidate__Output;
  call: RunningCall;
  startedMs: number;
  /** Its stream, once it streams. */
  passage: Passage | undefined;
  /** Monotonic instant of the stream's head; undefined: it does not stream yet. */
  streamsFromMs: number | undefined;
  /** Its end is recorded. */
  over: boolean;
}

export interface AttemptState {
  readonly gateway: Gateway;
  readonly exchange: AuthorisedExchange;
  readonly rules: RoutingRules;
  /** Monotonic instant of the first attempt. */
  readonly startedMs: number;
  /** Candidates not yet tried, in order. */
  readonly left: Planned[];
  readonly running: RunningAttempt[];
  /** Functions that end a pause early. */
  readonly wakePauses: (() => void)[];
  /** The hold was extended for a second bill, so it cannot cover a third. */
  holdExtended: boolean;
  /** Why no further attempt is made: one won, the client left, the time is up, or a rule refused the request. */
  stopped: 'won' | 'gone' | 'late' | 'refused' | undefined;
}

/** Marks the winner. All other attempts are given up and booked. */
export function win(state: AttemptState, runningAttempt: RunningAttempt): void {
  runningAttempt.over = true;
  remove(state.running, runningAttempt);
  stop(state, 'won');
}

/** Gives up all running attempts and ends all pauses. */
export function stop(state: AttemptState, why: NonNullable<AttemptState['stopped']>): void {
  startNoMore(state, why);
  const { running } = state;
  for (let runningAttempt = running.shift(); runningAttempt; runningAttempt = running.shift())
    giveUp(state, runningAttempt, why);
}

/** Ends all pauses; running attempts go on. */
export function startNoMore(state: AttemptState, why: NonNullable<AttemptState['stopped']>): void {
  state.stopped ??= why;
  const { wakePauses } = state;
  for (let wake = wakePauses.shift(); wake; wake = wakePauses.shift()) wake();
}

// Books an attempt that is given up: its upstream may bill it although nobody waits for the answer.
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
  if (why === 'gone' || why === 'refused') exchange.ending.candidate = candidate;
  if (passage) dropImplausibleUsage(gateway, exchange, candidate, passage.report);
  // Only a client can end a call at the moment that suits it.
  const chosen = why === 'gone' || why === 'refused';
  const unseenMs = chosen ? unseenFor(state, runningAttempt) : 0;
  const charge = call.sent() ? chargeForGivenUp(exchange, candidate, passage, unseenMs) : NO_CHARGE;
  bookSideCharge(exchange, attempt, candidate, charge);
  call.abort(late ? outOfTime() : aborted());
}

/** For how long the provider may have written what nobody sees: of a stream, since its head came. */
function unseenFor(
  { exchange, gateway }: AttemptState,
  { startedMs, streamsFromMs }: RunningAttempt,
): number {
  const now = gateway.nowMs();
  return now - (exchange.job.stream ? (streamsFromMs ?? now) : startedMs);
}

export function outOfTime(): UpstreamFailure {
  return timedOut('all attempts together');
}

/** Waits, but at most until all attempts stop. */
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

/** Removes an item from a short list. */
export function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
