import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { withDeadline, type Clock, type Logger } from '@tollgate/kit';
import { createClient, createCluster } from 'redis';

import { slotOf } from './keys';
import type { Scripts } from './scripts';
import { createServer, type Server } from './server';
import { MovedError, StoreUnavailableError } from './unavailable';

/** Finds the server that holds a key: the only server, or one of a cluster's. */
export interface Connection {
  connect(): Promise<void>;
  /** Runs `call` on the key's server; retries once after a cluster has moved the key. */
  on<T>(key: string, call: (server: Server) => Promise<T>): Promise<T>;
  servers(): Promise<Server[]>;
  stop(): Promise<void>;
}

interface Deps {
  url: string;
  scripts: Scripts;
  deadlineMs: number;
  clock: Clock;
  log: Logger;
}

/** Commands that may wait for a reply on one connection; beyond it calls fail at once. */
const QUEUE_MAX = 10_000;
const PING_EVERY_MS = 1_000;
/** A connection that is silent this long, pings included, is closed and reconnected. */
const SILENCE_MS = 5_000;
const RECONNECT_MAX_MS = 1_000;

function clientOptions(deadlineMs: number) {
  return {
    RESP: 2 as const,
    commandsQueueMaxLength: QUEUE_MAX,
    // While Redis is away calls fail at once and do not queue in memory.
    disableOfflineQueue: true,
    pingInterval: PING_EVERY_MS,
    maintNotifications: 'disabled' as const,
    // The client's own timeout costs a timer and an AbortSignal per command and does not end a
    // command that was sent. server.ts has its own.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: Math.max(deadlineMs, 1_000),
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries: number) =>
        Math.min(25 * 2 ** Math.min(retries, 10), RECONNECT_MAX_MS) + Math.random() * 25,
    },
  };
}

// Logs one line when the connection is lost and one when it is back, not one per attempt.
function lossLog(log: Logger): { error: (cause: unknown) => void; ready: () => void } {
  let lost = false;
  const error = (cause: unknown): void => {
    if (!lost) log.warn('redis is away', { error: String(cause) });
    lost = true;
  };
  const ready = (): void => {
    if (lost) log.info('redis is back');
    lost = false;
  };
  return { error, ready };
}

/** One server, or a service's endpoint that leads to whichever is the primary. */
export function connectOne(deps: Deps): Connection {
  const { url, deadlineMs, log } = deps;
  const client = createClient({ url, ...clientOptions(deadlineMs) });
  const loss = lossLog(log);
  client.on('error', loss.error);
  client.on('ready', loss.ready);
  const server = createServer(client, deps);
  let starting: Promise<unknown> | undefined;
  return {
    async connect() {
      const isReady = once(client, 'ready');
      // The client keeps reconnecting; this call waits no longer than its deadline.
      starting ??= client.connect().catch(loss.error);
      if (!client.isReady) await inTime(isReady, deadlineMs);
      await server.info();
    },
    on: (_key, call) => call(server),
    servers: () => Promise.resolve([server]),
    stop() {
      client.destroy();
      return Promise.resolve();
    },
  };
}

/** A Redis Cluster, found through any of the addresses (comma-separated URLs). */
export function connectCluster(deps: Deps): Connection {
  const { deadlineMs, log } = deps;
  const cluster = clusterClient(deps.url, deadlineMs);
  const loss = lossLog(log);
  cluster.on('error', loss.error);
  cluster.on('node-error', loss.error);
  cluster.on('node-ready', loss.ready);
  const known = new WeakMap<object, Server>();
  const stopping = new AbortController();
  let starting: Promise<void> | undefined;

  // A cluster client gives up when it reaches none of its addresses, a plain client does not.
  const start = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await cluster.connect();
        return;
      } catch (error) {
        loss.error(error);
        await pause(RECONNECT_MAX_MS, undefined, { ref: false });
      }
    }
  };

  const serverAt = async (node: (typeof cluster.masters)[number] | undefined): Promise<Server> => {
    if (node === undefined) throw new StoreUnavailableError('the cluster is not connected');
    const client = await cluster.nodeClient(node);
    const present = known.get(client);
    if (present !== undefined) return present;
    const server = createServer(client, deps);
    known.set(client, server);
    return server;
  };

  const serverOf = async (key: string): Promise<Server> => {
    const node = cluster.isReady ? cluster.slots[slotOf(key)]?.master : undefined;
    return await inTime(serverAt(node), deadlineMs);
  };

  const servers = (): Promise<Server[]> => Promise.all(cluster.masters.map(serverAt));

  return {
    async connect() {
      starting ??= start();
      await inTime(starting, deadlineMs);
      await Promise.all((await inTime(servers(), deadlineMs)).map((server) => server.info()));
    },
    async on(key, call) {
      try {
        return await call(await serverOf(key));
      } catch (error) {
        if (!(error instanceof MovedError)) throw error;
        // The cluster client follows the redirect and refreshes its slot map.
        await inTime(cluster.sendCommand(key, false, ['TYPE', key]), deadlineMs);
        return await call(await serverOf(key));
      }
    },
    servers: () => inTime(servers(), deadlineMs),
    stop() {
      stopping.abort();
      cluster.destroy();
      return Promise.resolve();
    },
  };
}

function clusterClient(url: string, deadlineMs: number) {
  const urls = url.split(',');
  const first = new URL(urls[0] ?? '');
  const options = clientOptions(deadlineMs);
  return createCluster({
    RESP: 2,
    rootNodes: urls.map((url) => ({ url, ...options })),
    defaults: {
      ...options,
      ...(first.username === '' ? {} : { username: decodeURIComponent(first.username) }),
      ...(first.password === '' ? {} : { password: decodeURIComponent(first.password) }),
      socket: {
        ...options.socket,
        ...(first.protocol === 'rediss:' ? { tls: true as const } : {}),
      },
    },
    topologyRefreshOnReconnectionAttemptStrategy: 1_000,
  });
}

async function inTime<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
  try {
    return await withDeadline(work, deadlineMs, 'redis connection');
  } catch (error) {
    throw error instanceof StoreUnavailableError
      ? error
      : new StoreUnavailableError(String(error), { cause: error });
  }
}
