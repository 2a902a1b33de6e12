import type {
  AttemptReport,
  RefusalReport,
  SessionReply__Output,
  SessionRequest,
} from '@tollgate/contracts/node';
import { TransientMap } from '@tollgate/kit';
import { settleItem, TOO_LATE, type Item } from './item';

/** The wire under a session: a bidirectional stream, as grpc-js gives it. */
export type SessionStream = {
  write: (frame: SessionRequest) => void;
  /** No more frames from this side; replies still come. */
  end: () => void;
  /** Gives the stream up, replies included. */
  cancel: () => void;
  onFrame: (handle: (frame: SessionReply__Output) => void) => void;
  /** Called once, whoever ended the stream and why. */
  onClosed: (handle: (reason: string) => void) => void;
};

export type Session = {
  /** Takes an item unless the session is retiring or its window is full. */
  send: (item: Item) => boolean;
  /** Takes a report along with the next frame. */
  report: (report: AttemptReport) => boolean;
  /** The same, of what was refused here. */
  refused: (report: RefusalReport) => boolean;
  /** A frame is being filled: what comes now travels with what came before. */
  filling: () => boolean;
  accepting: () => boolean;
  pending: () => number;
  /** Takes no new items, waits for the answers it still owes (at most `graceMs`), then closes. */
  retire: (graceMs: number) => void;
  cancel: (reason: string) => void;
};

export type SessionDeps = {
  stream: SessionStream;
  /** Items that may be unanswered at one time. */
  window: number;
  /** Milliseconds by which policy is judged: not those that this process was held up for. */
  nowMs: () => number;
  onFrame: (frame: SessionReply__Output) => void;
  /** Policy asks for another session; this one takes items only until that is open. */
  onDraining: () => void;
  /** The session is over; `items` were never answered. */
  onClosed: (reason: string, items: Item[]) => void;
};

/** Items that travel in one frame at most: the protocol's limit. */
const FRAME_ITEMS = 256;
/** How often items are looked over for passed deadlines. */
const SWEEP_MS = 25;
/** An item that left less than this ago proves nothing about the other side. */
const SILENCE_MS = 100;

// One stream to one policy replica. Items of one turn of the event loop leave as one frame.
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

  // A process that was busy finds this timer due before it has read what waits in its sockets: items
  // are judged after that.
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
    // Nothing at all has come since that item left: the other side is frozen or cut off. A new
    // connection finds out; on this one every item would wait for its deadline.
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
