// What the attempts of one request share: which calls are under way, and that only one of them wins.

import type { Attempt, Candidate__Output } from '@tollgate/contracts/node';
import type { Job, Passage } from '../operations';
import { aborted, timedOut, type UpstreamFailure } from '../upstream/failure';
import type { RunningCall } from '../upstream/call';
import { believe } from './believed';
import { chargeFor, NOTHING, tookByNow } from './charge';
import { bookBeside, type Exchange } from './exchange';
import type { Gateway } from './gateway';
import type { Planned } from './plan';
import type { Rules } from './rules';

/** One call under way. */
export type Leg = {
  attempt: Attempt;
  candidate: Candidate__Output;
  call: RunningCall;
  startedMs: number;
  /** What its stream goes through, once it streams. */
  passage: Passage | undefined;
  /** Its end has been recorded. */
  over: boolean;
};

export type Tries = {
  readonly gateway: Gateway;
  readonly exchange: Exchange;
  readonly job: Job;
  readonly rules: Rules;
  /** Monotonic instant of the first attempt. */
  readonly startedMs: number;
  /** Candidates that have not been tried, in their order. */
  readonly left: Planned[];
  readonly legs: Leg[];
  /** Ends pauses before their time. */
  readonly wakers: (() => void)[];
  /** The hold was raised for a second bill: it has none to spare for a third. */
  raised: boolean;
  /** Why nothing more is to be tried: there is an answer, the client has left, or time is up. */
  stopped: 'won' | 'gone' | 'late' | undefined;
};

/** The first with something to send: all others are given up, and booked. */
export function win(tries: Tries, leg: Leg): void {
  leg.over = true;
  remove(tries.legs, leg);
  stop(tries, 'won');
}

/** Gives up whatever is under way. */
export function stop(tries: Tries, why: NonNullable<Tries['stopped']>): void {
  tries.stopped ??= why;
  const { legs, wakers } = tries;
  for (let leg = legs.shift(); leg; leg = legs.shift()) giveUp(tries, leg, why);
  for (let wake = wakers.shift(); wake; wake = wakers.shift()) wake();
}

// What an upstream has been asked for it may bill, though nobody waits for it any more.
function giveUp(tries: Tries, leg: Leg, why: NonNullable<Tries['stopped']>): void {
  const { exchange, gateway, job } = tries;
  if (leg.over) return;
  leg.over = true;
  const { attempt, call, candidate, passage } = leg;
  const late = why === 'late';
  attempt.outcome = late ? 'TIMEOUT' : 'ABORTED';
  attempt.latencyMs = Math.round(gateway.nowMs() - leg.startedMs);
  if (why === 'gone') exchange.ending.candidate = candidate;
  if (passage) believe(gateway, exchange, candidate, passage.report);
  const charge = call.sent() ? chargeFor(candidate, tookByNow(job, passage?.report)) : NOTHING;
  bookBeside(exchange, attempt, candidate, charge);
  call.abort(late ? outOfTime() : aborted());
}

export function outOfTime(): UpstreamFailure {
  return timedOut('all attempts together');
}

/** Waits, but not beyond the end of all tries. */
export function pause(tries: Tries, ms: number): Promise<void> {
  if (tries.stopped) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      remove(tries.wakers, wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    tries.wakers.push(wake);
  });
}

/** Of lists that hardly ever hold more than one. */
export function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
