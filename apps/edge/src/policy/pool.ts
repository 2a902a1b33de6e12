import type { AttemptReport, RefusalReport, SessionReply__Output } from '@tollgate/contracts/node';

import { AWAY, settleItem, TOO_LATE, type Ask, type Item, type ItemSession } from './item';
import { place, type Ring } from './placing';
import type { Replica } from './replicas';
import { createSession, type Session, type SessionStream } from './session';

export interface SessionPool {
  /**
   * Asks policy. The callback is called exactly once, and at once if no session can take the item.
   * `late` receives a reply that arrives after the deadline. Nobody waits for a settle, so it may
   * wait a moment to share a frame with the next request.
   */
  ask: Ask;
  /** Sends a report that nothing depends on; without a session it is dropped. */
  report: (report: AttemptReport) => void;
  /** Sends a report of a refusal by the edge itself. */
  refused: (report: RefusalReport) => void;
  /** Sessions that accept items now. */
  open: () => number;
  /** Opens sessions to replicas that are new in the list, and retires those to missing ones. */
  use: (replicas: readonly Replica[]) => void;
  stop: () => void;
}

export interface SessionPoolDeps {
  replicas: readonly Replica[];
  sessionsPerReplica: number;
  /** Limit of unanswered items per session. */
  window: number;
  recycleMs: number;
  connect: (replica: Replica) => Promise<SessionStream>;
  /** Monotonic milliseconds, without the time in which this process was blocked. */
  nowMs: () => number;
  /** Monotonic milliseconds. */
  realMs: () => number;
  random: () => number;
  onFrame: (frame: SessionReply__Output, session: ItemSession) => void;
  /** A session is closed, whichever side ended it. */
  onClosed: (session: ItemSession) => void;
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

/** A replica while it is in the list. */
interface Peer {
  readonly replica: Replica;
  gone: boolean;
}

interface Pool extends SessionPoolDeps, Ring {
  readonly peers: Map<string, Peer>;
  readonly accepting: Map<Session, Peer>;
  readonly live: Set<Session>;
  /** Sessions on which a policy process has said that it serves, or that it is stopping. */
  readonly greeted: WeakSet<Session>;
  readonly draining: WeakSet<Session>;
  stopped: boolean;
  readonly timers: Set<NodeJS.Timeout>;
  /**
   * Items whose session broke while no other was open. Their callers have had an error. They are
   * sent again only to learn whether a hold was taken, and to release it.
   */
  stranded: Item[];
  /** Settles that wait to share a frame, because a frame of their own costs as much as a request. */
  riders: Item[];
  boarding: NodeJS.Timeout | undefined;
}

// Keeps a few sessions per policy replica. Each is recycled about every minute, with jitter, so
// that new replicas get their share. A broken session is reopened with exponential backoff.
export function createSessionPool(deps: SessionPoolDeps): SessionPool {
  const pool: Pool = {
    ...deps,
    peers: new Map(),
    accepting: new Map(),
    live: new Set(),
    greeted: new WeakSet(),
    draining: new WeakSet(),
    ring: [],
    turn: 0,
    current: undefined,
    frame: 0,
    stopped: false,
    timers: new Set(),
    stranded: [],
    riders: [],
    boarding: undefined,
  };
  use(pool, deps.replicas);
  return {
    ask: (...asked) => ask(pool, ...asked),
    report: (told) => tell(pool, (session) => session.report(told)),
    refused: (told) => tell(pool, (session) => session.refused(told)),
    open: () => pool.ring.length,
    use: (replicas) => use(pool, replicas),
    stop: () => {
      pool.stopped = true;
      for (const timer of pool.timers) clearTimeout(timer);
      pool.timers.clear();
      clearTimeout(pool.boarding);
      for (const session of pool.live) session.cancel('stopped');
    },
  };
}

function later(pool: Pool, ms: number, act: () => void): void {
  const timer = setTimeout(() => {
    pool.timers.delete(timer);
    act();
  }, ms);
  pool.timers.add(timer);
}

function board(pool: Pool): void {
  if (pool.riders.length === 0) return;
  clearTimeout(pool.boarding);
  pool.boarding = undefined;
  const items = pool.riders;
  pool.riders = [];
  for (const item of items) if (!place(pool, item)) settleItem(item, AWAY);
}

function ask(pool: Pool, ...[payload, deadlineMs, asked]: Parameters<Ask>): void {
  const dueMs = pool.nowMs() + deadlineMs;
  const item: Item = { payload, dueMs, sentMs: 0, waiting: true, ...asked };
  if (payload.kind === 'settle' && pool.riders.length < RIDERS_MOST) {
    pool.riders.push(item);
    pool.boarding ??= setTimeout(board, RIDE_WITHIN_MS, pool);
    return;
  }
  // Settles go first: policy processes a frame in order, so releases precede new holds.
  board(pool);
  if (!place(pool, item)) settleItem(item, AWAY);
}

function tell(pool: Pool, takes: (session: Session) => boolean): void {
  for (let tried = 0; tried < pool.ring.length; tried += 1) {
    const session = pool.ring[(pool.turn + tried) % pool.ring.length];
    if (session && takes(session)) return;
  }
}

// Sends a broken session's items to another one. Authorize and settle are idempotent by request
// id. An extend carries the hold's token, which a granted extend has replaced.
function resend(pool: Pool, items: Item[]): void {
  const now = pool.nowMs();
  for (const item of items) {
    sayResent(item);
    if (place(pool, item)) continue;
    if (item.waiting) settleItem(item, item.dueMs > now ? AWAY : TOO_LATE);
    // Settles and extends are sent again by their owners.
    if (item.payload.kind !== 'authorize' || item.sentMs === 0) continue;
    if (item.dueMs + STRANDED_MS > now && pool.stranded.length < STRANDED_MOST)
      pool.stranded.push(item);
  }
}

// Another process may have allowed it from a float, and only the store knows what became of that.
function sayResent(item: Item): void {
  const { payload, sentMs } = item;
  if (payload.kind !== 'authorize' || sentMs === 0) return;
  item.payload = { kind: 'authorize', message: { ...payload.message, resent: true } };
}

function use(pool: Pool, replicas: readonly Replica[]): void {
  const listed = new Set(replicas.map(({ address }) => address));
  for (const [address, peer] of pool.peers) {
    if (listed.has(address)) continue;
    peer.gone = true;
    pool.peers.delete(address);
  }
  for (const replica of replicas) {
    if (pool.peers.has(replica.address)) continue;
    const peer: Peer = { replica, gone: false };
    pool.peers.set(replica.address, peer);
    for (let n = 0; n < pool.sessionsPerReplica; n += 1) keepOpen(pool, peer, BACKOFF_FIRST_MS);
  }
  retireLeaving(pool);
}

// Sessions to a removed replica or to a process that is stopping take no new items once another one
// serves. Until then the last ones continue: policy ends them when it has to.
function retireLeaving(pool: Pool): void {
  const isLeaving = ([session, { gone }]: [Session, Peer]): boolean =>
    gone || pool.draining.has(session);
  const sessions = [...pool.accepting];
  if (!sessions.some((one) => !isLeaving(one) && pool.greeted.has(one[0]))) return;
  for (const one of sessions) if (isLeaving(one)) retire(pool, one[0]);
}

function add(pool: Pool, session: Session, peer: Peer): void {
  pool.accepting.set(session, peer);
  pool.ring = [...pool.accepting.keys()];
  const items = pool.stranded;
  pool.stranded = [];
  resend(pool, items);
  pool.onOpen();
}

function remove(pool: Pool, session: Session): void {
  pool.accepting.delete(session);
  pool.ring = [...pool.accepting.keys()];
}

function keepOpen(pool: Pool, peer: Peer, pauseMs: number, replaced?: Session): void {
  if (pool.stopped || peer.gone) return;
  pool.connect(peer.replica).then(
    (stream) => {
      if (pool.stopped || peer.gone) stream.cancel();
      else start(pool, peer, stream, replaced);
    },
    (error: unknown) => {
      if (pool.stopped || peer.gone) return;
      pool.onReconnect(
        peer.replica.address,
        error instanceof Error ? error.message : String(error),
      );
      const jittered = pauseMs * (0.5 + pool.random());
      // If opening fails, the old session continues to serve.
      later(pool, jittered, () =>
        keepOpen(pool, peer, Math.min(pauseMs * 2, BACKOFF_MOST_MS), replaced),
      );
    },
  );
}

function retire(pool: Pool, session: Session): void {
  remove(pool, session);
  session.retire(RETIRE_GRACE_MS);
}

// Starts a session that replaces another. The old one continues until policy has answered on the
// new one, because a connection may lead to a process that is shutting down.
function start(pool: Pool, peer: Peer, stream: SessionStream, replaced?: Session): void {
  let predecessor = replaced;
  let succeeded = false;
  const succeed = (former?: Session): void => {
    if (succeeded || pool.stopped) return;
    succeeded = true;
    keepOpen(pool, peer, BACKOFF_FIRST_MS, former);
  };
  const takeOver = (): void => {
    if (predecessor) retire(pool, predecessor);
    predecessor = undefined;
  };
  const session = createSession({
    stream,
    window: pool.window,
    nowMs: pool.nowMs,
    realMs: pool.realMs,
    onFrame: (frame) => {
      if (!frame.draining && !pool.greeted.has(session)) {
        pool.greeted.add(session);
        takeOver();
        retireLeaving(pool);
      }
      pool.onFrame(frame, session);
    },
    onDraining: () => {
      pool.draining.add(session);
      takeOver();
      succeed(session);
      retireLeaving(pool);
    },
    onClosed: (reason, items) => {
      remove(pool, session);
      pool.live.delete(session);
      if (!succeeded && !pool.stopped) {
        pool.onReconnect(peer.replica.address, reason);
        later(pool, BACKOFF_FIRST_MS * pool.random(), () => succeed(predecessor));
      }
      resend(pool, items);
      pool.onClosed(session);
    },
  });
  pool.live.add(session);
  add(pool, session, peer);
  later(pool, pool.recycleMs * (0.8 + 0.4 * pool.random()), () => {
    if (session.accepting()) succeed(session);
  });
}
