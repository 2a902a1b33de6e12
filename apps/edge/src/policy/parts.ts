// Builds the parts of this side of the protocol, and ends them in order. Which request asks what is
// in ./index.

import { createLoopClock, type Logger, type LoopClock } from '@tollgate/kit';

import { createAdmission, type Admission, type AdmissionRefusal } from './admission';
import { createHoldRegistry, type HoldRegistry } from './holds';
import { createSessionPool, type SessionPool } from './pool';
import { createReplicas, type Replica, type Replicas } from './replicas';
import type { SessionStream } from './session';
import { createSettleKeeper, type SettleKeeper } from './settles';
import { createSpool, type Spool } from './spool';

export interface PolicyDeps {
  /** host:port; a host name stands for all of its addresses. */
  addresses: readonly string[];
  sessionsPerReplica: number;
  window: number;
  recycleMs: number;
  authorizeDeadlineMs: number;
  /** Limits of waiting requests: their number and their time. */
  queueMost: number;
  queueMs: number;
  settleDeadlineMs: number;
  settlesMost: number;
  spoolDirectory: string;
  connect: (replica: Replica) => Promise<SessionStream>;
  log: Logger;
  onReconnect: () => void;
  /** A request has waited for its turn. */
  onQueued: (ms: number) => void;
  /** A waiting request was not decided. */
  onQueueRefusal: (reason: AdmissionRefusal) => void;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
  random: () => number;
}

/** The other half of the sessions' capacity is for extends and settles, which never wait. */
const AUTHORIZE_SHARE = 0.5;
export interface Parts {
  readonly deps: PolicyDeps;
  readonly loopClock: LoopClock;
  readonly spool: Spool;
  readonly replicas: Replicas;
  readonly pool: SessionPool;
  readonly settles: SettleKeeper;
  readonly holds: HoldRegistry;
  readonly admission: Admission;
}

export async function createParts(deps: PolicyDeps): Promise<Parts> {
  const { log, nowMs } = deps;
  const spool = createSpool(deps.spoolDirectory, (text) => log.error('spool', { problem: text }));
  await spool.prepare();
  const loopClock = createLoopClock(nowMs);
  const replicas = findReplicas(deps, (list) => pool.use(list));
  const pool = createSessionPool({
    replicas: replicas.current(),
    sessionsPerReplica: deps.sessionsPerReplica,
    window: deps.window,
    recycleMs: deps.recycleMs,
    connect: deps.connect,
    nowMs: loopClock.now,
    realMs: nowMs,
    random: deps.random,
    onFrame: (frame, session) => {
      if (frame.reopenedShards.length > 0) {
        const news = frame.reopenedShards.map((shard, i) => {
          return { shard, epoch: frame.reopenedEpochs[i] ?? 0 };
        });
        settles.reopened(news);
        holds.reopened(news, session);
      }
      if (frame.adoptFloats.length > 0) {
        const adopted = holds.adoptFloats(frame.adoptFloats);
        log.warn('policy has lost floats', { floats: frame.adoptFloats.length, adopted });
      }
      if (frame.booked.length > 0) settles.booked(frame.booked);
    },
    onClosed: (session) => {
      const adopted = holds.closed(session);
      if (adopted > 0) log.info('holds are adopted elsewhere', { adopted });
    },
    // The first session may open before this function returns.
    onOpen: () => setImmediate(() => settles.retryNow()),
    onReconnect: (address, reason) => {
      deps.onReconnect();
      log.warn('policy session closed', { address, reason });
      replicas.lookAgain();
    },
  });
  const settles = createSettleKeeper({
    ask: pool.ask,
    deadlineMs: deps.settleDeadlineMs,
    most: deps.settlesMost,
    nowMs,
    onRejected: (settle, failure) => {
      log.error('policy refused a settle', { requestId: settle.message.requestId, ...failure });
      spool.setAside(settle, failure.message).catch((error: unknown) => {
        log.error('could not set aside a refused settle', { error, settle: settle.message });
      });
    },
  });
  const holds = createHoldRegistry({
    ask: pool.ask,
    deadlineMs: deps.authorizeDeadlineMs,
    nowMs,
    wallMs: deps.wallMs,
  });
  // Of a name at least one replica is counted: how many there are changes.
  const sessions = deps.addresses.length * deps.sessionsPerReplica;
  const admission = createAdmission({
    queueMost: deps.queueMost,
    queueMs: deps.queueMs,
    inFlightMost: Math.floor(sessions * deps.window * AUTHORIZE_SHARE),
    deadlineMs: deps.authorizeDeadlineMs,
    nowMs,
    onWaited: deps.onQueued,
    onRefused: deps.onQueueRefusal,
  });
  return { deps, loopClock, spool, replicas, pool, settles, holds, admission };
}

function findReplicas(
  { addresses, log }: PolicyDeps,
  use: (replicas: readonly Replica[]) => void,
): Replicas {
  return createReplicas({
    addresses,
    onChange: (list) => {
      log.info('policy replicas', { addresses: list.map(({ address }) => address) });
      use(list);
    },
    onFailure: (host, reason) => log.warn('policy host name not resolved', { host, reason }),
  });
}

/** Takes over the settles that this edge, or another one, has left on disk. */
export async function replay({ spool, settles, deps: { log } }: Parts): Promise<void> {
  const replayed = await spool.replay((kept, onBooked) => settles.submit(kept, { onBooked }));
  if (replayed > 0) log.info('settles replayed from disk', { settles: replayed });
}

/** Waits until all settles are booked, at most `drainMs`; the rest is written to disk. */
export async function stopParts(parts: Parts, drainMs: number): Promise<void> {
  const { deps, loopClock, spool, replicas, pool, settles, holds, admission } = parts;
  await holds.idle(drainMs);
  const left = await settles.drain(drainMs);
  settles.stop();
  holds.stop();
  replicas.stop();
  pool.stop();
  admission.stop();
  loopClock.stop();
  await spool.spill(left);
  if (left.length > 0) deps.log.warn('unsent settles written to disk', { settles: left.length });
}
