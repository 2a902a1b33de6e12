import { DeadlineError, withDeadline, type Logger } from '@tollgate/kit';
import { createClient, RESP_TYPES } from 'redis';

import { openEntry, sealEntry } from './entry';
import type { CacheStore } from './store';

export interface RedisStoreOptions {
  readonly url: string;
  /** Encrypts what is stored. */
  readonly seal: Buffer;
  readonly deadlineMs: number;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  readonly log: Logger;
}

/** Commands that may wait for a reply; beyond it they fail at once. */
const QUEUE_MAX = 1_000;
/** Answers on their way to the store; beyond it further ones are not kept. */
const SENDING_MOST_BYTES = 32 * 1024 * 1024;
const RECONNECT_MAX_MS = 1_000;
/** A connection that is silent this long, pings included, is closed and opened again. */
const SILENCE_MS = 5_000;
/** After a command without a reply, requests do not ask for so long. */
const PAUSE_MS = 1_000;
const PREFIX = 'tollgate:response:';

/**
 * Answers in a Redis of their own, encrypted, for all edges. It may be away: then nothing is found and nothing kept,
 * and requests wait for at most the deadline.
 */
export function createRedisStore(options: RedisStoreOptions): CacheStore {
  const { deadlineMs, log, nowMs, seal, url } = options;
  const client = createClient({
    url,
    RESP: 2,
    commandsQueueMaxLength: QUEUE_MAX,
    // While it is away, commands fail at once and do not queue in memory.
    disableOfflineQueue: true,
    pingInterval: 1_000,
    maintNotifications: 'disabled',
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: Math.max(deadlineMs, 1_000),
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries: number) =>
        Math.min(25 * 2 ** Math.min(retries, 10), RECONNECT_MAX_MS),
    },
  });
  const buffers = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  let lost = false;
  const noteLoss = (error: unknown): void => {
    if (!lost) log.warn('the response cache is away', { error: String(error) });
    lost = true;
  };
  client.on('error', noteLoss);
  client.on('ready', () => {
    if (lost) log.info('the response cache is back');
    lost = false;
  });
  // The client goes on connecting by itself; requests do not wait for it.
  client.connect().catch(noteLoss);

  let pausedUntilMs = 0;
  let sendingBytes = 0;

  const inTime = async <T>(command: () => Promise<T>): Promise<T> => {
    if (nowMs() < pausedUntilMs) throw new Error('the response cache did not answer a moment ago');
    if (!client.isReady) throw new Error('the response cache is away');
    try {
      return await withDeadline(command(), deadlineMs, 'the response cache');
    } catch (error) {
      if (error instanceof DeadlineError) pausedUntilMs = nowMs() + PAUSE_MS;
      throw error;
    }
  };

  return {
    get: async (key) => {
      const sealed = await inTime(() => buffers.get(PREFIX + key));
      return sealed === null ? undefined : openEntry(seal, key, sealed);
    },
    set: async (key, entry, ttlSeconds) => {
      if (sendingBytes + entry.length > SENDING_MOST_BYTES) {
        throw new Error('too many answers are on their way to the response cache');
      }
      const sealed = sealEntry(seal, key, entry);
      await inTime(() => {
        const sent = client.set(PREFIX + key, sealed, {
          expiration: { type: 'EX', value: ttlSeconds },
        });
        // A command that is out of time still waits in the client's queue.
        sendingBytes += entry.length;
        const uncount = (): void => {
          sendingBytes -= entry.length;
        };
        sent.then(uncount, uncount);
        return sent;
      });
    },
    bytes: () => 0,
    stop: () => client.destroy(),
  };
}
