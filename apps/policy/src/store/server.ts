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

interface ServerDeps {
  readonly scripts: Scripts;
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Link extends ServerDeps {
  readonly client: RedisClient;
  readonly breaker: ReturnType<typeof createBreaker>;
  latestInfo: FullServerInfo | undefined;
  infoUnderWay: Promise<FullServerInfo> | undefined;
  /** Replies arrive in order, so any reply shows that the server is working. */
  repliedAtMs: number;
}

export function createServer(client: RedisClient, deps: ServerDeps): Server {
  const { deadlineMs, clock } = deps;
  const link: Link = {
    ...deps,
    client,
    breaker: createBreaker({ failures: FAILURES_BEFORE_PAUSE, coolMs: PAUSE_MS, clock }),
    latestInfo: undefined,
    infoUnderWay: undefined,
    repliedAtMs: Number.NEGATIVE_INFINITY,
  };
  client.on('ready', () => refreshInfo(link));
  client.on('reconnecting', () => forget(link));
  client.on('end', () => forget(link));
  if (client.isReady) refreshInfo(link);
  return {
    run: (name, keys, args, calls) =>
      bounded(link, name, () => evaluate(link, name, keys, args), calls),
    command: (args) => bounded(link, args[0] ?? '', () => client.sendCommand(args)),
    info: async () => {
      const reply = withDeadline(readInfo(link), deadlineMs, 'redis server info');
      return await reply.catch((error: unknown) => {
        throw classified(error);
      });
    },
  };
}

function forget(link: Link): void {
  link.latestInfo = undefined;
  link.infoUnderWay = undefined;
}

// Every connection reads the server's run id before its first script, so that a script is always
// given the run id of the server that runs it.
function readInfo(link: Link): Promise<FullServerInfo> {
  if (link.infoUnderWay !== undefined) return link.infoUnderWay;
  const mine = readServerInfo(link.client, link.scripts, link.clock).then(
    (result) => {
      if (link.infoUnderWay === mine) {
        link.latestInfo = result;
        link.breaker.succeeded();
      }
      return result;
    },
    (error: unknown) => {
      if (link.infoUnderWay === mine) forget(link);
      throw error;
    },
  );
  link.infoUnderWay = mine;
  return mine;
}

function refreshInfo(link: Link): void {
  forget(link);
  readInfo(link).catch((error: unknown) =>
    link.log.warn('redis did not tell its run id and time', { error }),
  );
}

async function evaluate(
  link: Link,
  name: ScriptName,
  keys: string[],
  args: (info: ServerInfo) => string[],
): Promise<unknown> {
  const at = link.latestInfo ?? (await readInfo(link));
  const send = (sha: string): Promise<unknown> =>
    link.client.sendCommand(['EVALSHA', sha, String(keys.length), ...keys, ...args(at)]);
  try {
    return await send(at.shas[name]);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    at.shas[name] = await load(link.client, link.scripts, name, at.flags);
    return await send(at.shas[name]);
  }
}

async function bounded(
  link: Link,
  what: string,
  work: () => Promise<unknown>,
  calls = 1,
): Promise<unknown> {
  if (!link.client.isReady) throw new StoreUnavailableError('redis is not connected');
  if (!link.breaker.allow()) throw new StoreUnavailableError('redis did not answer the last calls');
  const startedMs = performance.now();
  const reply = work();
  try {
    const value = await withDeadline(reply, link.deadlineMs, `redis ${what}`);
    link.repliedAtMs = performance.now();
    link.breaker.succeeded();
    return value;
  } catch (error) {
    if (error instanceof DeadlineError) {
      reply.then(
        () => {
          link.repliedAtMs = performance.now();
        },
        () => {
          // The caller already has its error; the late result is dropped.
        },
      );
      // A server that replied to others is busy, not dead: opening the breaker would fail calls
      // that it can serve.
      if (link.repliedAtMs >= startedMs) throw new SlowError(error.message, { cause: error });
      for (let call = 0; call < calls; call += 1) link.breaker.failed();
      throw new UnansweredError(error.message, { cause: error });
    }
    const known = classified(error);
    // A server that replies, even with an error, does not open the breaker.
    if (known instanceof StoreUnavailableError && !link.client.isReady) link.breaker.failed();
    else link.breaker.succeeded();
    if (known.message.startsWith('READONLY')) reconnect(link);
    throw known;
  }
}

// The server has become a replica and the address leads to another server: reconnect.
function reconnect(link: Link): void {
  link.client.sendCommand(['QUIT']).catch((error: unknown) => {
    link.log.debug('redis closed the connection', { error });
  });
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
  const { source, allowOom, readOnly = false } = scripts[name];
  const own = [...(allowOom ? ['allow-oom'] : []), ...(readOnly ? ['no-writes'] : [])];
  const text = flags && own.length > 0 ? `#!lua flags=${own.join(',')}\n${source}` : source;
  await client.sendCommand(['SCRIPT', 'LOAD', text]);
  return createHash('sha1').update(text).digest('hex');
}
