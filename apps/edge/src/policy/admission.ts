// Decides which requests may ask policy now, which wait, and which are refused for load. Extends
// and settles of running requests bypass it.

import { createFairQueue } from './fair-queue';
import { createInFlightLimit } from './in-flight-limit';

/** Why a waiting request was not decided. */
export type AdmissionRefusal =
  /** The queue, or the part of one key, is full. */
  | 'full'
  /** The request waited for the maximum time. */
  | 'waited'
  /** The client disconnected. */
  | 'gone';

export interface Waiting {
  /** Requests of one key share a lane of the queue. */
  key: string;
  client: { readonly clientGone: boolean };
  /** Called at most once, with a slot taken. */
  proceed: () => void;
  /** Called instead of `proceed`. */
  refuse: (reason: AdmissionRefusal) => void;
}

export interface Admission {
  /** Takes a slot. False: none is free, and the request must `wait`. */
  enter: () => boolean;
  wait: (waiting: Waiting) => void;
  /** Returns the slot. `tookMs`: the duration of the decision, if one was made. */
  leave: (tookMs: number | undefined) => void;
  /** Returns the slot of a decision that missed its deadline. */
  leaveLate: () => void;
  status: () => AdmissionStatus;
  stop: () => void;
}

export interface AdmissionStatus {
  inFlight: number;
  inFlightLimit: number;
  waiting: number;
}

export interface AdmissionDeps {
  /** Limit of waiting requests. */
  queueMost: number;
  queueMs: number;
  /** Limit of decisions under way, from the capacity of the sessions. */
  inFlightMost: number;
  /** A decision that takes longer than a quarter of this is slow. */
  deadlineMs: number;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  onWaited: (ms: number) => void;
  onRefused: (reason: AdmissionRefusal) => void;
}

/** This many concurrent decisions are never too many: they take a few milliseconds of policy's time. */
const IN_FLIGHT_LEAST = 64;
const IN_FLIGHT_MOST = 2_048;
const TARGET_SHARE = 0.25;
/** The part of the queue that one key may take. */
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

  // A request that proceeds may be answered at once, and return its slot before the next one
  // proceeds.
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

  // After a long turn of the event loop, pending answers free their slots first.
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
