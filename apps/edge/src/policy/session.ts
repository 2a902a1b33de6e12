import {
  createKnownParts,
  type AttemptReport,
  type KnownParts,
  type RefusalReport,
  type SessionReply__Output,
  type SessionRequest,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import { createFloatWatch, isTooLate, type FloatWatch } from './float-watch';
import { settleItem, TOO_LATE, type Item, type ItemSession } from './item';

/** The transport of a session: a bidirectional stream, as grpc-js provides it. */
export interface SessionStream {
  write: (frame: SessionRequest) => void;
  /** Half-closes the stream; replies still arrive. */
  end: () => void;
  /** Cancels the stream, including pending replies. */
  cancel: () => void;
  onFrame: (handle: (frame: SessionReply__Output) => void) => void;
  /** Called once, whichever side ended the stream. */
  onClosed: (handle: (reason: string) => void) => void;
}

export interface Session extends ItemSession {
  /** Sends an item, unless the session is retiring or its window is full. */
  send: (item: Item) => boolean;
  /** Adds a report to the next frame. */
  report: (report: AttemptReport) => boolean;
  /** Adds a report of a refusal by the edge itself. */
  refused: (report: RefusalReport) => boolean;
  /** The number of the frame that is being filled; 0: none. */
  filling: () => number;
  accepting: () => boolean;
  pending: () => number;
  /** Accepts no new items, waits for pending answers (at most `graceMs`), then closes. */
  retire: (graceMs: number) => void;
  cancel: (reason: string) => void;
}

export interface SessionDeps {
  stream: SessionStream;
  /** Limit of unanswered items. */
  window: number;
  /** Monotonic milliseconds without the time in which this process was blocked. */
  nowMs: () => number;
  /** Monotonic milliseconds. */
  realMs: () => number;
  onFrame: (frame: SessionReply__Output) => void;
  /** Policy asks for a replacement; this session accepts items until that is open. */
  onDraining: () => void;
  /** The session is closed; `items` were never answered. */
  onClosed: (reason: string, items: Item[]) => void;
}

/** Limit of items per frame, from the protocol. */
const FRAME_ITEMS = 256;
/** How often deadlines are checked. */
const SWEEP_MS = 25;
/** A younger item says nothing about whether the other side is alive. */
const YOUNG_MS = 100;

/**
 * Every deadline of POLICY_DEADLINE_MS will do for floats: an ALLOW of a float has its own, and so has an adoption.
 */
const ABILITIES = { keepsShared: true, adoptsFloats: true } as const satisfies SessionRequest;

interface SessionState extends SessionDeps {
  readonly pending: TransientMap<number, Item>;
  readonly parts: KnownParts;
  readonly floats: FloatWatch;
  /** Policy was told what this side can do. */
  announced: boolean;
  batch: NonNullable<SessionRequest['items']>;
  leaving: Item[];
  reports: AttemptReport[];
  refusals: RefusalReport[];
  flushScheduled: boolean;
  nextId: number;
  /** Frames sent so far. */
  frames: number;
  accepting: boolean;
  closed: boolean;
  lastFrameMs: number;
  sweeper: NodeJS.Timeout | undefined;
  judging: NodeJS.Immediate | undefined;
  graceTimer: NodeJS.Timeout | undefined;
}

// One stream to one policy replica. Items of one turn of the event loop share a frame.
export function createSession(deps: SessionDeps): Session {
  const state: SessionState = {
    ...deps,
    pending: new TransientMap(),
    parts: createKnownParts(),
    floats: createFloatWatch({
      realMs: deps.realMs,
      onSilent: () => cancel(state, 'policy was silent'),
    }),
    announced: false,
    batch: [],
    leaving: [],
    reports: [],
    refusals: [],
    flushScheduled: false,
    nextId: 1,
    frames: 0,
    accepting: true,
    closed: false,
    lastFrameMs: deps.nowMs(),
    sweeper: undefined,
    judging: undefined,
    graceTimer: undefined,
  };
  const session: Session = {
    send: (item) => send(state, item),
    report: (attempt) => report(state, state.reports, attempt),
    refused: (refusal) => report(state, state.refusals, refusal),
    filling: () => (state.flushScheduled ? state.frames + 1 : 0),
    accepting: () => state.accepting && !state.closed,
    // '' when closed, so that its items go to another process if there is one.
    process: () => (state.closed ? '' : state.floats.process()),
    pending: () => state.pending.size,
    retire: (graceMs) => retire(state, graceMs),
    cancel: (reason) => cancel(state, reason),
  };
  deps.stream.onFrame((frame) => takeFrame(state, session, frame));
  deps.stream.onClosed((reason) => finish(state, reason));
  return session;
}

function takeFrame(state: SessionState, session: Session, frame: SessionReply__Output): void {
  const { pending } = state;
  if (state.closed) return;
  state.lastFrameMs = state.nowMs();
  state.floats.heard(frame);
  if (!fillShared(state, frame)) return;
  for (const result of frame.results) {
    const item = pending.get(result.correlationId);
    if (!item) continue;
    pending.delete(result.correlationId);
    if (isTooLate(item, result.authorize, state.lastFrameMs)) settleItem(item, TOO_LATE);
    if (result.failure) settleItem(item, { ok: false, failure: result.failure });
    else settleItem(item, { ok: true, result, session });
  }
  state.onFrame(frame);
  if (pending.size === 0) {
    clearInterval(state.sweeper);
    state.sweeper = undefined;
  }
  if (frame.draining && state.accepting) state.onDraining();
  endWhenDone(state);
}

// A name that means nothing is a fault of policy. Nothing is taken from the frame: its items are asked
// again elsewhere, and allowed requests keep their holds.
function fillShared(state: SessionState, frame: SessionReply__Output): boolean {
  try {
    state.parts.take(frame);
    for (const { authorize } of frame.results) {
      if (authorize?.allow) state.parts.fill(authorize.allow);
    }
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    cancel(state, `policy broke the protocol: ${error.message}`);
    return false;
  }
}

/** The number of items and reports that wait for the next frame. */
function unsent({ batch, reports, refusals }: SessionState): number {
  return batch.length + reports.length + refusals.length;
}

function flush(state: SessionState): void {
  state.flushScheduled = false;
  if (state.closed || unsent(state) === 0) return;
  const frame: SessionRequest = { items: state.batch };
  if (state.reports.length > 0) frame.attempts = state.reports;
  if (state.refusals.length > 0) frame.refusals = state.refusals;
  if (!state.announced) Object.assign(frame, ABILITIES);
  state.announced = true;
  state.batch = [];
  state.reports = [];
  state.refusals = [];
  state.stream.write(frame);
  state.frames += 1;
  const now = state.nowMs();
  for (const item of state.leaving) item.sentMs = now;
  state.leaving = [];
  endWhenDone(state);
}

function flushSoon(state: SessionState): void {
  if (state.flushScheduled) return;
  state.flushScheduled = true;
  setImmediate(flush, state);
}

function send(state: SessionState, item: Item): boolean {
  if (!state.accepting || state.closed || state.pending.size >= state.window) return false;
  const correlationId = state.nextId;
  state.nextId = state.nextId >= 0xffff_ffff ? 1 : state.nextId + 1;
  state.pending.set(correlationId, item);
  state.leaving.push(item);
  state.batch.push({ correlationId, [item.payload.kind]: item.payload.message });
  if (state.batch.length >= FRAME_ITEMS) flush(state);
  else flushSoon(state);
  state.sweeper ??= setInterval(sweep, SWEEP_MS, state);
  return true;
}

function report<T>(state: SessionState, waiting: T[], one: T): boolean {
  if (!state.accepting || state.closed) return false;
  waiting.push(one);
  if (waiting.length >= FRAME_ITEMS) flush(state);
  else flushSoon(state);
  return true;
}

// After a busy turn this timer fires before pending socket data is read, so the check is deferred
// until after the reads.
function sweep(state: SessionState): void {
  state.judging ??= setImmediate(judge, state);
}

function judge(state: SessionState): void {
  state.judging = undefined;
  if (state.closed) return;
  const now = state.nowMs();
  let stalled = false;
  for (const item of state.pending.values()) {
    if (item.dueMs > now) continue;
    if (state.lastFrameMs < item.sentMs && now - item.sentMs >= YOUNG_MS) stalled = true;
    if (item.waiting) settleItem(item, TOO_LATE);
  }
  // Nothing has arrived since that item was sent, so the other side is frozen or cut off. On this
  // connection every item would wait for its deadline; a new one may work.
  if (stalled) cancel(state, 'policy stopped answering');
}

function endWhenDone(state: SessionState): void {
  if (!state.accepting && !state.closed && state.pending.size === 0 && unsent(state) === 0)
    state.stream.end();
}

function retire(state: SessionState, graceMs: number): void {
  if (!state.accepting) return;
  state.accepting = false;
  state.graceTimer = setTimeout(() => cancel(state, 'retired'), graceMs);
  endWhenDone(state);
}

function cancel(state: SessionState, reason: string): void {
  state.stream.cancel();
  finish(state, reason);
}

function finish(state: SessionState, reason: string): void {
  if (state.closed) return;
  state.closed = true;
  state.accepting = false;
  clearInterval(state.sweeper);
  clearImmediate(state.judging);
  clearTimeout(state.graceTimer);
  state.floats.stop();
  const items = [...state.pending.values()];
  state.pending.clear();
  state.onClosed(reason, items);
}
