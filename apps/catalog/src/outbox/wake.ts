import type { Logger } from '@tollgate/kit';
import { Client } from 'pg';

import { OUTBOX_CHANNEL } from './append';

export interface OutboxWake {
  /** Number of wake-ups so far. */
  count(): number;
  /**
   * Resolves at the next change after wake-up number `counted`, after `timeoutMs`, or when the
   * signal aborts. Read `count` before reading rows, so that a change during the read is not
   * missed.
   */
  next(timeoutMs: number, signal: AbortSignal, counted: number): Promise<void>;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * One connection that listens for changes and wakes every watcher. A wake-up may be lost with the
 * connection, so watchers also poll.
 */
export function createOutboxWake(deps: { url: string; log: Logger }): OutboxWake {
  const { url, log } = deps;
  const sleepers = new Set<() => void>();
  const closing = new AbortController();
  let client: Client | undefined;
  let reconnect: NodeJS.Timeout | undefined;
  let count = 0;

  const wakeAll = (): void => {
    count += 1;
    for (const wake of sleepers) wake();
  };

  const retry = (): void => {
    if (closing.signal.aborted || reconnect !== undefined) return;
    reconnect = setTimeout(() => {
      reconnect = undefined;
      void listen();
    }, RECONNECT_MS);
  };

  async function listen(): Promise<void> {
    const connection = newConnection(url);
    client = connection;
    const lost = (error?: unknown): void => {
      if (client !== connection) return;
      client = undefined;
      log.warn('outbox listener lost its connection', { error });
      void end(connection);
      retry();
    };
    connection.on('notification', wakeAll);
    connection.on('error', lost);
    connection.on('end', () => lost());
    try {
      await connection.connect();
      await connection.query(`LISTEN ${OUTBOX_CHANNEL}`);
      // Changes during the disconnection are found by reading once more.
      wakeAll();
    } catch (error) {
      lost(error);
    }
  }

  void listen();

  return {
    count: () => count,

    next: (timeoutMs, signal, counted) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          sleepers.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, timeoutMs);
        sleepers.add(wake);
        signal.addEventListener('abort', wake);
        if (signal.aborted || count !== counted) wake();
      }),

    async close() {
      closing.abort();
      clearTimeout(reconnect);
      wakeAll();
      const last = client;
      client = undefined;
      if (last !== undefined) await end(last);
    },
  };
}

function newConnection(url: string): Client {
  return new Client({
    connectionString: url,
    application_name: 'tollgate-catalog-outbox',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
}

/** Closes a connection that may be broken already, so a failure is ignored. */
async function end(connection: Client): Promise<void> {
  await Promise.allSettled([connection.end()]);
}
