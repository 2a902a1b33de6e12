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

export function superviseWorkers(options: WorkersOptions): void {
  const { count, log, stopMs, readyMs = READY_MS } = options;
  const exit = options.exit ?? ((code: number) => process.exit(code));
  const retiring = new Set<Worker>();
  let everReady = false;
  let stopping = false;
  let clean = true;
  let rolling = false;
  let rollAgain = false;
  const restarts = createRestarts(RESTARTS);

  const running = (): Worker[] =>
    Object.values(cluster.workers ?? {}).filter((w) => w !== undefined);
  const serving = (): Worker[] => running().filter((worker) => !retiring.has(worker));

  const start = (): Worker => {
    const worker = cluster.fork();
    const startedMs = performance.now();
    worker.on('message', (message) => {
      if (isMessage(message, 'ready')) everReady = true;
    });
    worker.once('exit', (code, signal) => onExit(worker, startedMs, code, signal));
    return worker;
  };

  const onExit = (worker: Worker, startedMs: number, code: number, signal: string | null): void => {
    const { pid } = worker.process;
    const retired = retiring.delete(worker);
    if (stopping) {
      clean &&= code === 0;
      return endWhenAlone();
    }
    if (retired) {
      log.info('a worker that was replaced has ended', { pid, code, signal });
      return;
    }
    log.error('a worker has ended', { pid, code, signal });
    // If the first worker cannot start, none can.
    if (!everReady) return stop('a worker could not start', 1);
    void replace(restarts.ended(performance.now() - startedMs)?.afterMs ?? RESTARTS.mostMs);
  };

  const replace = async (afterMs: number): Promise<void> => {
    await pause(afterMs);
    // A roll may have started the missing one already.
    if (!stopping && serving().length < count) start();
  };

  const stop = (reason: string, code = 0): void => {
    if (stopping) return;
    stopping = true;
    clean &&= code === 0;
    log.info('stopping the workers', { reason, workers: running().length });
    for (const worker of running()) worker.process.kill('SIGTERM');
    setTimeout(() => {
      clean = false;
      for (const worker of running()) worker.process.kill('SIGKILL');
    }, stopMs).unref();
    endWhenAlone();
  };

  const endWhenAlone = (): void => {
    if (running().length > 0) return;
    log.info('all workers have ended', { clean });
    const code = clean ? 0 : 1;
    log.flush().then(
      () => exit(code),
      () => exit(code),
    );
  };

  // A replaced worker finishes its requests, which may take as long as the longest stream, so the
  // next replacement does not wait for it.
  const roll = async (): Promise<void> => {
    rollAgain = rolling;
    if (rolling) return;
    rolling = true;
    log.info('replacing the workers', { workers: serving().length });
    for (const old of serving()) {
      if (stopping) break;
      if (old.isDead()) continue;
      const fresh = start();
      // The old worker counts until the new one serves.
      retiring.add(old);
      if (await isReady(fresh, readyMs)) {
        if (old.isConnected()) old.send({ tollgate: 'retire' } satisfies Message);
        continue;
      }
      retiring.delete(old);
      log.error('a new worker did not get ready: the others stay', { pid: fresh.process.pid });
      retiring.add(fresh);
      fresh.process.kill('SIGKILL');
      break;
    }
    rolling = false;
    log.info('the workers have been replaced', { workers: serving().length });
    if (rollAgain && !stopping) await roll();
  };

  addUpMetrics();
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGHUP', () => void roll());
  for (let n = 0; n < count; n += 1) start();
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
