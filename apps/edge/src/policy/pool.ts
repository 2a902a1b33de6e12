import type { AttemptReport, RefusalReport, SessionReply__Output } from '@tollgate/contracts/node';
import { AWAY, settleItem, TOO_LATE, type Item, type Payload } from './item';
import { createSession, type Session, type SessionStream } from './session';

export type SessionPool = {
  /**
   * Asks policy. The callback is called exactly once; at once when no session can take the item.
   * `late` gets a reply that comes after the asker was told that it took too long. A settle, which nobody
   * waits for, may wait a moment itself, for the next question to travel with.
   */
  ask: (payload: Payload, deadlineMs: number, callbacks: Pick<Item, 'answered' | 'late'>) => void;
  /** Tells policy something that nothing depends on: without a session it is dropped. */
  report: (report: AttemptReport) => void;
  /** The same, of what was refused here. */
  refused: (report: RefusalReport) => void;
  /** Sessions that take items right now. */
  open: () => number;
  stop: () => void;
};

export type SessionPoolDeps = {
  addresses: readonly string[];
  sessionsPerAddress: number;
  /** Unanswered items per session. */
  window: number;
  recycleMs: number;
  connect: (address: string) => Promise<SessionStream>;
  nowMs: () => number;
  random: () => number;
  onFrame: (frame: SessionReply__Output) => void;
  /** A session opened: what was waiting for one may go. */
  onOpen: () => void;
  onReconnect: (address: string, reason: string) => void;
};

const BACKOFF_FIRST_MS = 50;
const BACKOFF_MOST_MS = 1_000;
/** How long a retiring session may take over the answers it still owes. */
const RETIRE_GRACE_MS = 5_000;
/** How long a settle waits for company at most, and how many do. */
const RIDE_WITHIN_MS = 1;
const RIDERS_MOST = 128;
/** Items of closed sessions that are kept for the next one. */
const STRANDED_MOST = 10_000;
/** A stranded authorize is not asked again after this: its hold's lease is over by then. */
const STRANDED_MS = 60_000;

// A few sessions per policy address. Each is recycled about every minute, with jitter, so that
// replicas that joined later get their share; a broken one is replaced with growing pauses.
export function createSessionPool(deps: SessionPoolDeps): SessionPool {
  const open = new Set<Session>();
  const live = new Set<Session>();
  let ring: Session[] = [];
  let turn = 0;
  let stopped = false;
  const timers = new Set<NodeJS.Timeout>();
  // Items whose session broke while none other was open. Their askers have been told; what is left
  // is to learn whether a hold was taken, and to give it back.
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

  // A frame of their own would cost as much again as the question they wait for.
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
    // What was held is given back before more is asked for: policy takes a frame in its order.
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

  // A broken session's items go to another one: authorize and settle are idempotent by request id,
  // and an extend names the hold's token, which a granted extend has replaced.
  const resend = (items: Item[]): void => {
    const now = deps.nowMs();
    for (const item of items) {
      if (place(item)) continue;
      if (item.waiting) settleItem(item, item.dueMs > now ? AWAY : TOO_LATE);
      // Settles are kept and sent again by their keeper, extends by their hold.
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
        // While the old session still serves, it goes on doing so.
        later(jittered, () => keepOpen(address, Math.min(pauseMs * 2, BACKOFF_MOST_MS), replaced));
      },
    );
  };

  const retire = (session: Session): void => {
    remove(session);
    session.retire(RETIRE_GRACE_MS);
  };

  // The session that this one is to replace goes on until policy has answered here: a connection alone
  // may be one to a process that is about to end.
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
