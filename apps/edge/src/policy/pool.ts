import type { AttemptReport, RefusalReport, SessionReply__Output } from '@tollgate/contracts/node';

import { AWAY, settleItem, TOO_LATE, type Item, type Payload } from './item';
import { createSession, type Session, type SessionStream } from './session';

export interface SessionPool {
  /**
   * Asks policy. The callback is called exactly once, and at once if no session can take the item.
   * `late` receives a reply that arrives after the deadline. Nobody waits for a settle, so it may
   * wait a moment to share a frame with the next request.
   */
  ask: (payload: Payload, deadlineMs: number, callbacks: Pick<Item, 'answered' | 'late'>) => void;
  /** Sends a report that nothing depends on; without a session it is dropped. */
  report: (report: AttemptReport) => void;
  /** Sends a report of a refusal by the edge itself. */
  refused: (report: RefusalReport) => void;
  /** Sessions that accept items now. */
  open: () => number;
  stop: () => void;
}

export interface SessionPoolDeps {
  addresses: readonly string[];
  sessionsPerAddress: number;
  /** Limit of unanswered items per session. */
  window: number;
  recycleMs: number;
  connect: (address: string) => Promise<SessionStream>;
  nowMs: () => number;
  random: () => number;
  onFrame: (frame: SessionReply__Output) => void;
  /** A session opened, so waiting items can be sent. */
  onOpen: () => void;
  onReconnect: (address: string, reason: string) => void;
}

const BACKOFF_FIRST_MS = 50;
const BACKOFF_MOST_MS = 1_000;
/** How long a retiring session waits for its pending answers. */
const RETIRE_GRACE_MS = 5_000;
/** The maximum time a settle waits for another request, and the maximum number that wait. */
const RIDE_WITHIN_MS = 1;
const RIDERS_MOST = 128;
/** Limit of items kept from closed sessions. */
const STRANDED_MOST = 10_000;
/** A stranded authorize is not sent again after this time, because its hold's lease has expired. */
const STRANDED_MS = 60_000;

// Keeps a few sessions per policy address. Each is recycled about every minute, with jitter, so
// that new replicas get their share. A broken session is reopened with exponential backoff.
export function createSessionPool(deps: SessionPoolDeps): SessionPool {
  const open = new Set<Session>();
  const live = new Set<Session>();
  let ring: Session[] = [];
  let turn = 0;
  let stopped = false;
  const timers = new Set<NodeJS.Timeout>();
  // Items whose session broke while no other was open. Their callers have had an error. They are
  // sent again only to learn whether a hold was taken, and to release it.
  let stranded: Item[] = [];

  const later = (ms: number, act: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  };

  // Items of one turn of the event loop share a session, and so a frame.
  const place = (item: Item): boolean => {
    const current = ring[turn];
    if (current?.filling() && current.send(item)) return true;
    for (let tried = 0; tried < ring.length; tried += 1) {
      turn = (turn + 1) % ring.length;
      if (ring[turn]?.send(item)) return true;
    }
    return false;
  };

  // Settles that wait to share a frame, because a frame of their own costs as much as a request.
  let riders: Item[] = [];
  let boarding: NodeJS.Timeout | undefined;
  const board = (): void => {
    if (riders.length === 0) return;
    clearTimeout(boarding);
    boarding = undefined;
    const items = riders;
    riders = [];
    for (const item of items) if (!place(item)) settleItem(item, AWAY);
  };

  const ask: SessionPool['ask'] = (payload, deadlineMs, callbacks) => {
    const dueMs = deps.nowMs() + deadlineMs;
    const { answered, late } = callbacks;
    const item: Item = { payload, dueMs, sentMs: 0, waiting: true, answered, late };
    if (payload.kind === 'settle' && riders.length < RIDERS_MOST) {
      riders.push(item);
      boarding ??= setTimeout(board, RIDE_WITHIN_MS);
      return;
    }
    // Settles go first: policy processes a frame in order, so releases precede new holds.
    board();
    if (!place(item)) settleItem(item, AWAY);
  };

  const tell = (takes: (session: Session) => boolean): void => {
    for (let tried = 0; tried < ring.length; tried += 1) {
      const session = ring[(turn + tried) % ring.length];
      if (session && takes(session)) return;
    }
  };
  const report: SessionPool['report'] = (told) => tell((session) => session.report(told));
  const refused: SessionPool['refused'] = (told) => tell((session) => session.refused(told));

  // Sends a broken session's items to another one. Authorize and settle are idempotent by request
  // id. An extend carries the hold's token, which a granted extend has replaced.
  const resend = (items: Item[]): void => {
    const now = deps.nowMs();
    for (const item of items) {
      if (place(item)) continue;
      if (item.waiting) settleItem(item, item.dueMs > now ? AWAY : TOO_LATE);
      // Settles and extends are sent again by their owners.
      if (item.payload.kind !== 'authorize' || item.sentMs === 0) continue;
      if (item.dueMs + STRANDED_MS > now && stranded.length < STRANDED_MOST) stranded.push(item);
    }
  };

  const add = (session: Session): void => {
    open.add(session);
    ring = [...open];
    const items = stranded;
    stranded = [];
    resend(items);
    deps.onOpen();
  };

  const remove = (session: Session): void => {
    open.delete(session);
    ring = [...open];
  };

  const keepOpen = (address: string, pauseMs: number, replaced?: Session): void => {
    if (stopped) return;
    deps.connect(address).then(
      (stream) => {
        if (stopped) stream.cancel();
        else start(address, stream, replaced);
      },
      (error: unknown) => {
        if (stopped) return;
        deps.onReconnect(address, error instanceof Error ? error.message : String(error));
        const jittered = pauseMs * (0.5 + deps.random());
        // If opening fails, the old session continues to serve.
        later(jittered, () => keepOpen(address, Math.min(pauseMs * 2, BACKOFF_MOST_MS), replaced));
      },
    );
  };

  const retire = (session: Session): void => {
    remove(session);
    session.retire(RETIRE_GRACE_MS);
  };

  // Starts a session that replaces another. The old one continues until policy has answered on the
  // new one, because a connection may lead to a process that is shutting down.
  const start = (address: string, stream: SessionStream, replaced?: Session): void => {
    let predecessor = replaced;
    let succeeded = false;
    const succeed = (former?: Session): void => {
      if (succeeded || stopped) return;
      succeeded = true;
      keepOpen(address, BACKOFF_FIRST_MS, former);
    };
    const takeOver = (): void => {
      if (predecessor) retire(predecessor);
      predecessor = undefined;
    };
    const session = createSession({
      stream,
      window: deps.window,
      nowMs: deps.nowMs,
      onFrame: (frame) => {
        if (!frame.draining) takeOver();
        deps.onFrame(frame);
      },
      onDraining: () => {
        takeOver();
        succeed(session);
      },
      onClosed: (reason, items) => {
        remove(session);
        live.delete(session);
        if (!succeeded && !stopped) {
          deps.onReconnect(address, reason);
          later(BACKOFF_FIRST_MS * deps.random(), () => succeed(predecessor));
        }
        resend(items);
      },
    });
    live.add(session);
    add(session);
    later(deps.recycleMs * (0.8 + 0.4 * deps.random()), () => {
      if (session.accepting()) succeed(session);
    });
  };

  for (const address of deps.addresses) {
    for (let n = 0; n < deps.sessionsPerAddress; n += 1) keepOpen(address, BACKOFF_FIRST_MS);
  }

  const stop = (): void => {
    stopped = true;
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    clearTimeout(boarding);
    for (const session of live) session.cancel('stopped');
  };

  return { ask, report, refused, open: () => ring.length, stop };
}
