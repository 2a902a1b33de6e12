// Who may ask policy for a decision now, who waits, and who is told to come back. Extends and settles of
// running requests do not come here.

import { createFairQueue } from './fair-queue';
import { createInFlightLimit } from './in-flight-limit';

/** Why a request that waited, or was to wait, was not decided. */
export type AdmissionRefusal =
  /** As many wait as may, or as many of its key. */
  | 'full'
  /** It has waited for as long as a request may. */
  | 'waited'
  /** Its client has left. */
  | 'gone';

export type Waiting = {
  /** Requests of one key wait in one lane. */
  key: string;
  client: { readonly clientGone: boolean };
  /** Called once at most, with a place taken. */
  proceed: () => void;
  /** Called instead. */
  refuse: (reason: AdmissionRefusal) => void;
};

export type Admission = {
  /** Takes a place; false: there is none for this request, which is to `wait`. */
  enter: () => boolean;
  wait: (waiting: Waiting) => void;
  /** Gives the place back. `tookMs`: how long the decision took, if one was made. */
  leave: (tookMs: number | undefined) => void;
  /** The same for a decision that was not made in time. */
  leaveLate: () => void;
  status: () => AdmissionStatus;
  stop: () => void;
};

export type AdmissionStatus = { inFlight: number; inFlightLimit: number; waiting: number };

export type AdmissionDeps = {
  /** Requests that may wait. */
  queueMost: number;
  queueMs: number;
  /** Decisions under way that policy's sessions have room for. */
  inFlightMost: number;
  /** A decision that takes longer than a quarter of this is slow. */
  deadlineMs: number;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  onWaited: (ms: number) => void;
  onRefused: (reason: AdmissionRefusal) => void;
};

/** So many decisions at once are never too many: a few milliseconds of policy's time. */
const IN_FLIGHT_LEAST = 64;
const IN_FLIGHT_MOST = 2_048;
const TARGET_SHARE = 0.25;
/** How much of the queue one key may take. */
const LANE_SHARE = 0.5;
const SWEEP_MS = 25;

type Queued = Waiting & { sinceMs: number };

export function createAdmission(deps: AdmissionDeps): Admission {
  const { nowMs, queueMs } = deps;
  const most = Math.max(1, Math.min(IN_FLIGHT_MOST, deps.inFlightMost));
  const limit = createInFlightLimit({
    least: Math.min(IN_FLIGHT_LEAST, most),
    most,
    targetMs: deps.deadlineMs * TARGET_SHARE,
    nowMs,
  });
  const queue = createFairQueue<Queued>({
    most: deps.queueMost,
    laneMost: Math.ceil(deps.queueMost * LANE_SHARE),
  });
  let inFlight = 0;
  let admitting = false;
  let sweeper: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Immediate | undefined;

  const enter = (): boolean => {
    if (inFlight >= limit.current() || queue.size() > 0) return false;
    inFlight += 1;
    return true;
  };

  const wait = (waiting: Waiting): void => {
    const queued = { ...waiting, sinceMs: nowMs() };
    const displaced = queue.push(waiting.key, queued);
    if (displaced) refuse(displaced, 'full');
    if (queue.size() > 0) sweeper ??= setInterval(sweepSoon, SWEEP_MS);
  };

  const refuse = (waiting: Queued, reason: AdmissionRefusal): void => {
    deps.onRefused(reason);
    waiting.refuse(reason);
  };

  const leave = (tookMs: number | undefined): void => {
    inFlight -= 1;
    if (tookMs !== undefined) limit.answered(tookMs, queue.size() > 0);
    if (queue.size() > 0) admit();
  };

  const leaveLate = (): void => {
    limit.missed();
    leave(undefined);
  };

  // What proceeds may be answered at once, and so leave before the next one proceeds.
  const admit = (): void => {
    if (admitting) return;
    admitting = true;
    try {
      while (inFlight < limit.current()) {
        const next = queue.take();
        if (!next) break;
        if (next.client.clientGone) refuse(next, 'gone');
        else proceed(next);
      }
    } finally {
      admitting = false;
    }
    if (queue.size() === 0) rest();
  };

  const proceed = (waiting: Queued): void => {
    inFlight += 1;
    deps.onWaited(nowMs() - waiting.sinceMs);
    waiting.proceed();
  };

  // After a long turn of the event loop, answers that have come give their places to others first.
  const sweepSoon = (): void => {
    sweeping ??= setImmediate(sweep);
  };

  const sweep = (): void => {
    sweeping = undefined;
    const longestMs = nowMs() - queueMs;
    for (const waiting of queue.takeOver(({ sinceMs }) => sinceMs <= longestMs)) {
      refuse(waiting, waiting.client.clientGone ? 'gone' : 'waited');
    }
    if (queue.size() === 0) rest();
  };

  const rest = (): void => {
    clearInterval(sweeper);
    clearImmediate(sweeping);
    sweeper = undefined;
    sweeping = undefined;
  };

  return {
    enter,
    wait,
    leave,
    leaveLate,
    status: () => ({ inFlight, inFlightLimit: limit.current(), waiting: queue.size() }),
    stop: rest,
  };
}
