import { createHash } from 'node:crypto';
import { createBreaker, DeadlineError, withDeadline, type Clock, type Logger } from '@tollgate/kit';
import { ErrorReply } from 'redis';

import { SCRIPT_NAMES, type ScriptName, type Scripts } from './scripts';
import { classified, SlowError, StoreUnavailableError, UnansweredError } from './unavailable';

/** The part of a connected redis client that this file uses. */
export interface RedisClient {
  readonly isReady: boolean;
  sendCommand(args: string[]): Promise<unknown>;
  on(event: 'ready' | 'reconnecting' | 'end', listener: () => void): unknown;
}

/** What a new connection learns about its server. */
export interface ServerInfo {
  /** Changes when the server process does: its data may be gone or older. */
  runId: string;
  /** The server's clock minus ours. Corrected when a reply shows a better value. */
  aheadMs: number;
}

/** One Redis server behind one connection. Commands of one event-loop turn leave in one write. */
export interface Server {
  /** `calls`: number of calls in the batch. */
  run(
    name: ScriptName,
    keys: string[],
    args: (info: ServerInfo) => string[],
    calls?: number,
  ): Promise<unknown>;
  command(args: string[]): Promise<unknown>;
  info(): Promise<ServerInfo>;
}

type FullServerInfo = ServerInfo & {
  /** Whether the server understands flags in a script's first line. */
  flags: boolean;
  shas: Record<ScriptName, string>;
};

const FAILURES_BEFORE_PAUSE = 5;
const PAUSE_MS = 500;

export function createServer(
  client: RedisClient,
  deps: { scripts: Scripts; deadlineMs: number; clock: Clock; log: Logger },
): Server {
  const { scripts, deadlineMs, clock, log } = deps;
  const breaker = createBreaker({ failures: FAILURES_BEFORE_PAUSE, coolMs: PAUSE_MS, clock });
  let latestInfo: FullServerInfo | undefined;
  let infoUnderWay: Promise<FullServerInfo> | undefined;
  // Replies arrive in order, so any reply shows that the server is working.
  let repliedAtMs = Number.NEGATIVE_INFINITY;

  const forget = (): void => {
    latestInfo = undefined;
    infoUnderWay = undefined;
  };

  // Every connection reads the server's run id before its first script, so that a script is always
  // given the run id of the server that runs it.
  const readInfo = (): Promise<FullServerInfo> => {
    if (infoUnderWay !== undefined) return infoUnderWay;
    const mine = readServerInfo(client, scripts, clock).then(
      (result) => {
        if (infoUnderWay === mine) {
          latestInfo = result;
          breaker.succeeded();
        }
        return result;
      },
      (error: unknown) => {
        if (infoUnderWay === mine) forget();
        throw error;
      },
    );
    infoUnderWay = mine;
    return mine;
  };

  const refreshInfo = (): void => {
    forget();
    readInfo().catch((error: unknown) =>
      log.warn('redis did not tell its run id and time', { error }),
    );
  };
  client.on('ready', refreshInfo);
  client.on('reconnecting', forget);
  client.on('end', forget);
  if (client.isReady) refreshInfo();

  const evaluate = async (
    name: ScriptName,
    keys: string[],
    args: (info: ServerInfo) => string[],
  ): Promise<unknown> => {
    const at = latestInfo ?? (await readInfo());
    const send = (sha: string): Promise<unknown> =>
      client.sendCommand(['EVALSHA', sha, String(keys.length), ...keys, ...args(at)]);
    try {
      return await send(at.shas[name]);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      at.shas[name] = await load(client, scripts, name, at.flags);
      return await send(at.shas[name]);
    }
  };

  const bounded = async (
    what: string,
    work: () => Promise<unknown>,
    calls = 1,
  ): Promise<unknown> => {
    if (!client.isReady) throw new StoreUnavailableError('redis is not connected');
    if (!breaker.allow()) throw new StoreUnavailableError('redis did not answer the last calls');
    const startedMs = performance.now();
    const reply = work();
    try {
      const value = await withDeadline(reply, deadlineMs, `redis ${what}`);
      repliedAtMs = performance.now();
      breaker.succeeded();
      return value;
    } catch (error) {
      if (error instanceof DeadlineError) {
        reply.then(
          () => {
            repliedAtMs = performance.now();
          },
          () => {
            // The caller already has its error; the late result is dropped.
          },
        );
        // A server that replied to others is busy, not dead: opening the breaker would fail calls
        // that it can serve.
        if (repliedAtMs >= startedMs) throw new SlowError(error.message, { cause: error });
        for (let call = 0; call < calls; call += 1) breaker.failed();
        throw new UnansweredError(error.message, { cause: error });
      }
      const known = classified(error);
      // A server that replies, even with an error, does not open the breaker.
      if (known instanceof StoreUnavailableError && !client.isReady) breaker.failed();
      else breaker.succeeded();
      if (known.message.startsWith('READONLY')) reconnect();
      throw known;
    }
  };

  // The server has become a replica and the address leads to another server: reconnect.
  const reconnect = (): void => {
    client.sendCommand(['QUIT']).catch((error: unknown) => {
      log.debug('redis closed the connection', { error });
    });
  };

  return {
    run: (name, keys, args, calls) => bounded(name, () => evaluate(name, keys, args), calls),
    command: (args) => bounded(args[0] ?? '', () => client.sendCommand(args)),
    info: async () => {
      const reply = withDeadline(readInfo(), deadlineMs, 'redis server info');
      return await reply.catch((error: unknown) => {
        throw classified(error);
      });
    },
  };
}

async function readServerInfo(
  client: RedisClient,
  scripts: Scripts,
  clock: Clock,
): Promise<FullServerInfo> {
  const [info, time, flags] = await Promise.all([
    client.sendCommand(['INFO', 'server']),
    client.sendCommand(['TIME']),
    understandsFlags(client),
  ]);
  // A server without run ids (the JavaScript one) keeps nothing over a restart, so meta is missing
  // then.
  const runId = /^run_id:(\w+)/m.exec(String(info))?.[1] ?? 'none';
  const seconds = Array.isArray(time) ? Number(time[0]) : Number.NaN;
  if (!Number.isFinite(seconds)) throw new Error('redis does not tell the time');
  const loaded = await Promise.all(
    SCRIPT_NAMES.map(async (name) => [name, await load(client, scripts, name, flags)] as const),
  );
  const shas = Object.fromEntries(loaded) as Record<ScriptName, string>;
  return { runId, aheadMs: seconds * 1000 - clock.now(), flags, shas };
}

// Redis 7 reads a script's flags from its first line. Older and other servers reject that line, and
// run every script as if it might need memory.
async function understandsFlags(client: RedisClient): Promise<boolean> {
  try {
    await client.sendCommand(['EVAL', '#!lua flags=allow-oom\nreturn 1', '0']);
    return true;
  } catch (error) {
    if (error instanceof ErrorReply) return false;
    throw error;
  }
}

async function load(
  client: RedisClient,
  scripts: Scripts,
  name: ScriptName,
  flags: boolean,
): Promise<string> {
  const { source, allowOom } = scripts[name];
  const text = allowOom && flags ? `#!lua flags=allow-oom\n${source}` : source;
  await client.sendCommand(['SCRIPT', 'LOAD', text]);
  return createHash('sha1').update(text).digest('hex');
}
