// Decides which requests may ask policy now, which wait, and which are refused for load. Extends
// and settles of running requests bypass it.

import { createFairQueue, type FairQueue } from './fair-queue';
import { createInFlightLimit, type InFlightLimit } from './in-flight-limit';

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

interface Gate extends AdmissionDeps {
  readonly limit: InFlightLimit;
  readonly queue: FairQueue<Queued>;
  inFlight: number;
  admitting: boolean;
  sweeper: NodeJS.Timeout | undefined;
  sweeping: NodeJS.Immediate | undefined;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const most = Math.max(1, Math.min(IN_FLIGHT_MOST, deps.inFlightMost));
  const gate: Gate = {
    ...deps,
    limit: createInFlightLimit({
      least: Math.min(IN_FLIGHT_LEAST, most),
      most,
      targetMs: deps.deadlineMs * TARGET_SHARE,
      nowMs: deps.nowMs,
    }),
    queue: createFairQueue({
      most: deps.queueMost,
      laneMost: Math.ceil(deps.queueMost * LANE_SHARE),
    }),
    inFlight: 0,
    admitting: false,
    sweeper: undefined,
    sweeping: undefined,
  };
  return {
    enter: () => enter(gate),
    wait: (waiting) => wait(gate, waiting),
    leave: (tookMs) => leave(gate, tookMs),
    leaveLate: () => leaveLate(gate),
    status: () => ({
      inFlight: gate.inFlight,
      inFlightLimit: gate.limit.current(),
      waiting: gate.queue.size(),
    }),
    stop: () => rest(gate),
  };
}

function enter(gate: Gate): boolean {
  if (gate.inFlight >= gate.limit.current() || gate.queue.size() > 0) return false;
  gate.inFlight += 1;
  return true;
}

function wait(gate: Gate, waiting: Waiting): void {
  const queued = { ...waiting, sinceMs: gate.nowMs() };
  const displaced = gate.queue.push(waiting.key, queued);
  if (displaced) refuse(gate, displaced, 'full');
  if (gate.queue.size() > 0) gate.sweeper ??= setInterval(sweepSoon, SWEEP_MS, gate);
}

function refuse(gate: Gate, waiting: Queued, reason: AdmissionRefusal): void {
  gate.onRefused(reason);
  waiting.refuse(reason);
}

function leave(gate: Gate, tookMs: number | undefined): void {
  gate.inFlight -= 1;
  if (tookMs !== undefined) gate.limit.answered(tookMs, gate.queue.size() > 0);
  if (gate.queue.size() > 0) admit(gate);
}

function leaveLate(gate: Gate): void {
  gate.limit.missed();
  leave(gate, undefined);
}

// A request that proceeds may be answered at once, and return its slot before the next one
// proceeds.
function admit(gate: Gate): void {
  if (gate.admitting) return;
  gate.admitting = true;
  try {
    while (gate.inFlight < gate.limit.current()) {
      const next = gate.queue.take();
      if (!next) break;
      if (next.client.clientGone) refuse(gate, next, 'gone');
      else proceed(gate, next);
    }
  } finally {
    gate.admitting = false;
  }
  if (gate.queue.size() === 0) rest(gate);
}

function proceed(gate: Gate, waiting: Queued): void {
  gate.inFlight += 1;
  gate.onWaited(gate.nowMs() - waiting.sinceMs);
  waiting.proceed();
}

// After a long turn of the event loop, pending answers free their slots first.
function sweepSoon(gate: Gate): void {
  gate.sweeping ??= setImmediate(sweep, gate);
}

function sweep(gate: Gate): void {
  gate.sweeping = undefined;
  const longestMs = gate.nowMs() - gate.queueMs;
  for (const waiting of gate.queue.takeOver(({ sinceMs }) => sinceMs <= longestMs)) {
    refuse(gate, waiting, waiting.client.clientGone ? 'gone' : 'waited');
  }
  if (gate.queue.size() === 0) rest(gate);
}

function rest(gate: Gate): void {
  clearInterval(gate.sweeper);
  clearImmediate(gate.sweeping);
  gate.sweeper = undefined;
  gate.sweeping = undefined;
}
