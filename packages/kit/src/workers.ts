import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';

import type { Logger } from './logger';
import { createRestarts } from './restarts';
import { addUpMetrics } from './worker-metrics';

/**
 * Several processes of one service behind the same ports. The first process, the primary, accepts
 * connections and distributes them in turn, replaces a worker that ended, ends all on SIGTERM, and
 * on SIGHUP replaces the workers one by one without refusing requests.
 */
export interface WorkersOptions {
  count: number;
  log: Logger;
  /** How long workers may take to end before they are killed. */
  stopMs: number;
  /** How long a worker may take to report that it is ready. */
  readyMs?: number;
  /** Ends the process; tests pass their own. */
  exit?: (code: number) => void;
}

type Told = 'ready' | 'retire';
interface Message {
  tollgate: Told;
}

const READY_MS = 60_000;
/** A worker is always replaced: the others serve meanwhile. */
const RESTARTS = { firstMs: 100, mostMs: 5_000, steadyMs: 10_000 };

/** Whether this process is the primary of several workers. */
export function isPrimaryOfWorkers(count: number): boolean {
  return count > 1 && cluster.isPrimary;
}

export function isWorker(): boolean {
  return cluster.isWorker;
}

/** The number of this worker, which no later one gets; empty in a process without a primary. */
export function workerId(): string {
  return cluster.worker ? String(cluster.worker.id) : '';
}

/** Reports to the primary that this worker serves. No-op in a process without a primary. */
export function reportReady(): void {
  if (cluster.isWorker) process.send?.({ tollgate: 'ready' } satisfies Message);
}

/** Called in a worker that ends because another one has taken its place. */
export function onRetire(act: () => void): void {
  if (!cluster.isWorker) return;
  // A SIGHUP to the whole process group is meant for the primary.
  process.on('SIGHUP', () => undefined);
  process.on('message', (message) => {
    if (isMessage(message, 'retire')) act();
  });
}

/** The primary's view of its workers. */
interface Supervision {
  readonly count: number;
  readonly log: Logger;
  readonly stopMs: number;
  readonly readyMs: number;
  readonly exit: (code: number) => void;
  readonly restarts: ReturnType<typeof createRestarts>;
  /** Workers that finish their requests while others take their place. */
  readonly retiring: Set<Worker>;
  everReady: boolean;
  stopping: boolean;
  clean: boolean;
  rolling: boolean;
  rollAgain: boolean;
}

export function superviseWorkers(options: WorkersOptions): void {
  const { count, log, stopMs, readyMs = READY_MS } = options;
  const supervision: Supervision = {
    count,
    log,
    stopMs,
    readyMs,
    exit: options.exit ?? ((code) => process.exit(code)),
    restarts: createRestarts(RESTARTS),
    retiring: new Set(),
    everReady: false,
    stopping: false,
    clean: true,
    rolling: false,
    rollAgain: false,
  };
  addUpMetrics();
  process.on('SIGTERM', () => stop(supervision, 'SIGTERM'));
  process.on('SIGINT', () => stop(supervision, 'SIGINT'));
  process.on('SIGHUP', () => void roll(supervision));
  for (let n = 0; n < count; n += 1) start(supervision);
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((w) => w !== undefined);
}

function serving({ retiring }: Supervision): Worker[] {
  return running().filter((worker) => !retiring.has(worker));
}

function start(supervision: Supervision): Worker {
  const worker = cluster.fork();
  const startedMs = performance.now();
  worker.on('message', (message) => {
    if (isMessage(message, 'ready')) supervision.everReady = true;
  });
  worker.once('exit', (code, signal) => {
    onExit(supervision, worker, { startedMs, code, signal });
  });
  return worker;
}

interface Exit {
  readonly startedMs: number;
  readonly code: number;
  readonly signal: string | null;
}

function onExit(supervision: Supervision, worker: Worker, { startedMs, code, signal }: Exit): void {
  const { log, restarts } = supervision;
  const { pid } = worker.process;
  const retired = supervision.retiring.delete(worker);
  if (supervision.stopping) {
    supervision.clean &&= code === 0;
    return endWhenAlone(supervision);
  }
  if (retired) {
    log.info('a worker that was replaced has ended', { pid, code, signal });
    return;
  }
  log.error('a worker has ended', { pid, code, signal });
  // If the first worker cannot start, none can.
  if (!supervision.everReady) return stop(supervision, 'a worker could not start', 1);
  const { afterMs } = restarts.ended(performance.now() - startedMs) ?? { afterMs: RESTARTS.mostMs };
  void replace(supervision, afterMs);
}

async function replace(supervision: Supervision, afterMs: number): Promise<void> {
  await pause(afterMs);
  // A roll may have started the missing one already.
  if (!supervision.stopping && serving(supervision).length < supervision.count) start(supervision);
}

function stop(supervision: Supervision, reason: string, code = 0): void {
  if (supervision.stopping) return;
  supervision.stopping = true;
  supervision.clean &&= code === 0;
  supervision.log.info('stopping the workers', { reason, workers: running().length });
  for (const worker of running()) worker.process.kill('SIGTERM');
  setTimeout(() => {
    supervision.clean = false;
    for (const worker of running()) worker.process.kill('SIGKILL');
  }, supervision.stopMs).unref();
  endWhenAlone(supervision);
}

function endWhenAlone({ log, clean, exit }: Supervision): void {
  if (running().length > 0) return;
  log.info('all workers have ended', { clean });
  const code = clean ? 0 : 1;
  log.flush().then(
    () => exit(code),
    () => exit(code),
  );
}

async function roll(supervision: Supervision): Promise<void> {
  supervision.rollAgain = supervision.rolling;
  if (supervision.rolling) return;
  supervision.rolling = true;
  const { log } = supervision;
  log.info('replacing the workers', { workers: serving(supervision).length });
  for (const old of serving(supervision)) {
    if (supervision.stopping) break;
    if (old.isDead()) continue;
    if (!(await takeOver(supervision, old))) break;
  }
  supervision.rolling = false;
  log.info('the workers have been replaced', { workers: serving(supervision).length });
  if (supervision.rollAgain && !supervision.stopping) await roll(supervision);
}

/**
 * Starts a worker in the place of another. False: the new one did not get ready, and the old one
 * stays. A replaced worker finishes its requests, which may take as long as the longest stream, so
 * its end is not awaited.
 */
async function takeOver(supervision: Supervision, old: Worker): Promise<boolean> {
  const { retiring, log, readyMs } = supervision;
  const fresh = start(supervision);
  // The old worker counts until the new one serves.
  retiring.add(old);
  if (await isReady(fresh, readyMs)) {
    if (old.isConnected()) old.send({ tollgate: 'retire' } satisfies Message);
    return true;
  }
  retiring.delete(old);
  log.error('a new worker did not get ready: the others stay', { pid: fresh.process.pid });
  retiring.add(fresh);
  fresh.process.kill('SIGKILL');
  return false;
}

function isReady(worker: Worker, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (ready: boolean): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('exit', onExit);
      resolve(ready);
    };
    const onMessage = (message: unknown): void => {
      if (isMessage(message, 'ready')) done(true);
    };
    const onExit = (): void => done(false);
    const timer = setTimeout(() => done(false), withinMs);
    worker.on('message', onMessage);
    worker.on('exit', onExit);
  });
}

function isMessage(message: unknown, told: Told): boolean {
  return (
    typeof message === 'object' && message !== null && Reflect.get(message, 'tollgate') === told
  );
}
