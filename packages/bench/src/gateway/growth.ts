import { connect, type Socket } from 'node:net';

import { measure, used, type Measured } from './measure';
import { SLOW_STREAMS, UNARY } from './scenarios';
import type { Target } from './target';
import type { Tollgate } from './tollgate';

/** Memory per connection and per open stream, and the rate at which waiting records are booked. */

export interface Growth {
  readonly target: string;
  /** Bytes of the gateway's process. */
  readonly perIdleConnection: number;
  readonly perOpenStream: number;
  /** A thousand slow streams that are open at the same time. */
  readonly streams: Measured;
}

const CONNECTIONS = 1_000;

export async function growth(target: Target): Promise<Growth> {
  const rss = (): number => used(target)[target.gateway]?.rss ?? 0;
  const beforeIdle = rss();
  const sockets = await openIdle(target.url, CONNECTIONS);
  const perIdleConnection = (rss() - beforeIdle) / CONNECTIONS;
  for (const socket of sockets) socket.destroy();

  const beforeStreams = rss();
  let during = beforeStreams;
  // Shorter than the streams, so every connection sends exactly one.
  const run = { seconds: 6, perSecond: CONNECTIONS / 6, connections: CONNECTIONS };
  const streams = await measure(SLOW_STREAMS, target, {
    ...run,
    // At this time half of them have started and none has ended.
    meanwhile: () => (during = rss()),
  });
  return {
    target: target.name,
    perIdleConnection,
    perOpenStream: (during - beforeStreams) / (CONNECTIONS / 2),
    streams,
  };
}

/** Idle keep-alive connections, each after one answer. */
async function openIdle(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const open = (): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject);
      socket.once('data', () => resolve(socket));
      socket.write(`GET / HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    });
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, open))));
  }
  return sockets;
}

/**
 * Records per second from Redis into PostgreSQL: the catalog is stopped while requests are
 * answered, and continues when the load is over.
 */
export async function ledgerDrain(target: Tollgate, seconds: number): Promise<number> {
  await settled(target);
  const before = await target.booked();
  const pid = target.pids['catalog'];
  if (pid === undefined) throw new Error('a catalog is needed');
  process.kill(pid, 'SIGSTOP');
  let expected = before;
  try {
    const { requests } = await measure(UNARY, target, { seconds });
    expected += requests;
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  const startedMs = performance.now();
  while ((await target.booked()) < expected) await pause(20);
  return ((expected - before) / (performance.now() - startedMs)) * 1_000;
}

/** Waits until no record is waiting for booking. */
async function settled(target: Tollgate): Promise<void> {
  let before = -1;
  for (;;) {
    const now = await target.booked();
    if (now === before) return;
    before = now;
    await pause(1_000);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
