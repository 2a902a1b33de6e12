import type {
  AttemptReport,
  RefusalReport,
  SessionReply__Output,
  SessionRequest,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';

import { settleItem, TOO_LATE, type Item } from './item';

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

export interface Session {
  /** Sends an item, unless the session is retiring or its window is full. */
  send: (item: Item) => boolean;
  /** Adds a report to the next frame. */
  report: (report: AttemptReport) => boolean;
  /** Adds a report of a refusal by the edge itself. */
  refused: (report: RefusalReport) => boolean;
  /** A frame is being filled; new items join it. */
  filling: () => boolean;
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
const SILENCE_MS = 100;

// One stream to one policy replica. Items of one turn of the event loop share a frame.
export function createSession(deps: SessionDeps): Session {
  const { stream } = deps;
  const pending = new TransientMap<number, Item>();
  let batch: NonNullable<SessionRequest['items']> = [];
  let leaving: Item[] = [];
  let reports: AttemptReport[] = [];
  let refusals: RefusalReport[] = [];
  let flushScheduled = false;
  let nextId = 1;
  let accepting = true;
  let closed = false;
  let lastFrameMs = deps.nowMs();
  let sweeper: NodeJS.Timeout | undefined;
  let judging: NodeJS.Immediate | undefined;
  let graceTimer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    flushScheduled = false;
    if (closed || batch.length + reports.length + refusals.length === 0) return;
    const frame: SessionRequest = { items: batch };
    if (reports.length > 0) frame.attempts = reports;
    if (refusals.length > 0) frame.refusals = refusals;
    batch = [];
    reports = [];
    refusals = [];
    stream.write(frame);
    const now = deps.nowMs();
    for (const item of leaving) item.sentMs = now;
    leaving = [];
    endWhenDone();
  };

  const flushSoon = (): void => {
    if (flushScheduled) return;
    flushScheduled = true;
    setImmediate(flush);
  };

  const send = (item: Item): boolean => {
    if (!accepting || closed || pending.size >= deps.window) return false;
    const correlationId = nextId;
    nextId = nextId >= 0xffff_ffff ? 1 : nextId + 1;
    pending.set(correlationId, item);
    leaving.push(item);
    batch.push({ correlationId, [item.payload.kind]: item.payload.message });
    if (batch.length >= FRAME_ITEMS) flush();
    else flushSoon();
    sweeper ??= setInterval(sweep, SWEEP_MS);
    return true;
  };

  const report = (told: AttemptReport): boolean => {
    if (!accepting || closed) return false;
    reports.push(told);
    if (reports.length >= FRAME_ITEMS) flush();
    else flushSoon();
    return true;
  };

  const refused = (told: RefusalReport): boolean => {
    if (!accepting || closed) return false;
    refusals.push(told);
    if (refusals.length >= FRAME_ITEMS) flush();
    else flushSoon();
    return true;
  };

  // After a busy turn this timer fires before pending socket data is read, so the check is deferred
  // until after the reads.
  const sweep = (): void => {
    judging ??= setImmediate(judge);
  };

  const judge = (): void => {
    judging = undefined;
    if (closed) return;
    const now = deps.nowMs();
    let stalled = false;
    for (const item of pending.values()) {
      if (item.dueMs > now) continue;
      if (lastFrameMs < item.sentMs && now - item.sentMs >= SILENCE_MS) stalled = true;
      if (item.waiting) settleItem(item, TOO_LATE);
    }
    // Nothing has arrived since that item was sent, so the other side is frozen or cut off. On this
    // connection every item would wait for its deadline; a new one may work.
    if (stalled) cancel('policy stopped answering');
  };

  const endWhenDone = (): void => {
    const unsent = batch.length + reports.length + refusals.length;
    if (!accepting && !closed && pending.size === 0 && unsent === 0) stream.end();
  };

  const retire = (graceMs: number): void => {
    if (!accepting) return;
    accepting = false;
    graceTimer = setTimeout(() => cancel('retired'), graceMs);
    endWhenDone();
  };

  const cancel = (reason: string): void => {
    stream.cancel();
    finish(reason);
  };

  const finish = (reason: string): void => {
    if (closed) return;
    closed = true;
    accepting = false;
    clearInterval(sweeper);
    clearImmediate(judging);
    clearTimeout(graceTimer);
    const items = [...pending.values()];
    pending.clear();
    deps.onClosed(reason, items);
  };

  stream.onFrame((frame) => {
    if (closed) return;
    lastFrameMs = deps.nowMs();
    for (const result of frame.results) {
      const item = pending.get(result.correlationId);
      if (!item) continue;
      pending.delete(result.correlationId);
      if (result.failure) settleItem(item, { ok: false, failure: result.failure });
      else settleItem(item, { ok: true, result });
    }
    deps.onFrame(frame);
    if (pending.size === 0) {
      clearInterval(sweeper);
      sweeper = undefined;
    }
    if (frame.draining && accepting) deps.onDraining();
    endWhenDone();
  });
  stream.onClosed(finish);

  return {
    send,
    report,
    refused,
    filling: () => flushScheduled,
    accepting: () => accepting && !closed,
    pending: () => pending.size,
    retire,
    cancel,
  };
}
