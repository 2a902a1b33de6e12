import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';

import { freePort } from './ports';
import { spawnServer, until, type ServerProcess } from './process';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Port of the cluster bus; 0 without a cluster. */
  readonly busPort: number;
  readonly dir: string;
  readonly pid: () => number;
  /** The process that runs now, or ran last. */
  readonly process: () => ServerProcess;
  /** SIGSTOP freezes it, SIGCONT continues it, SIGKILL ends it like a crash. */
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Restarts it on the same port and folder, ending a running process first. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes a temporary folder. */
  readonly stop: () => Promise<void>;
}

export interface RedisOptions {
  /** Keep data in an append-only file (fsync every second), so that they survive a restart. */
  readonly appendOnly?: boolean;
  readonly dir?: string;
  readonly port?: number;
  readonly cluster?: boolean;
  readonly binary?: string;
  readonly detached?: boolean;
}

const START_MS = 20_000;

/** One command on its own connection; rejects within a second without a server. */
export async function redisCommand(url: string, command: readonly string[]): Promise<unknown> {
  const client = createClient({
    url,
    socket: { connectTimeout: 1_000, reconnectStrategy: false },
    disableOfflineQueue: true,
  });
  client.on('error', () => {
    // The command below reports it.
  });
  try {
    await client.connect();
    return await client.sendCommand([...command]);
  } finally {
    client.destroy();
  }
}

function argumentsOf(port: number, dir: string, options: RedisOptions): string[] {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''];
  args.push('--appendonly', options.appendOnly === true ? 'yes' : 'no');
  // As in deploy/docker/redis.conf.
  args.push('--auto-aof-rewrite-min-size', '256mb', '--maxmemory-policy', 'noeviction');
  if (options.cluster === true) args.push('--cluster-enabled', 'yes');
  return args;
}

/**
 * A real `redis-server` (or `valkey-server` by `binary`) on 127.0.0.1; rejects when it is not
 * installed.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const own = options.dir === undefined;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tollgate-redis-')));
  await mkdir(dir, { recursive: true });
  const url = `redis://127.0.0.1:${String(port)}`;
  const args = argumentsOf(port, dir, options);
  // The default bus port is 10,000 above, which may be taken or not exist.
  const busPort = options.cluster === true ? await freePort() : 0;
  if (busPort !== 0) args.push('--cluster-port', String(busPort));
  const launch = async (): Promise<ServerProcess> => {
    const server = await spawnServer(options.binary ?? 'redis-server', args, {
      detached: options.detached,
    });
    try {
      await until(() => redisCommand(url, ['PING']), 'Redis did not start', START_MS, server);
    } catch (error) {
      await server.stop('SIGKILL');
      throw error;
    }
    return server;
  };
  let server = await launch();
  return {
    url,
    port,
    busPort,
    dir,
    pid: () => server.pid,
    process: () => server,
    kill: (signal) => server.signal(signal),
    restart: async () => {
      await server.stop('SIGKILL');
      server = await launch();
    },
    stop: async () => {
      await server.stop();
      if (own) await rm(dir, { recursive: true, force: true });
    },
  };
}

/**
 * A Redis Cluster of one node that owns every slot: enough to refuse a script that uses two slots.
 */
export async function startRedisCluster(options: RedisOptions = {}): Promise<RedisServer> {
  const server = await startRedis({ ...options, cluster: true });
  try {
    await redisCommand(server.url, ['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
    const ready = async (): Promise<void> => {
      const info = String(await redisCommand(server.url, ['CLUSTER', 'INFO']));
      if (!info.includes('cluster_state:ok')) throw new Error(info);
    };
    await until(ready, 'the cluster is not ready', START_MS);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/**
 * The JavaScript server from npm, in its own process and in memory: for development without Redis,
 * never for production.
 */
export async function startJsRedis(
  options: { port?: number; detached?: boolean } = {},
): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const url = `redis://127.0.0.1:${String(port)}`;
  const script = `require(${JSON.stringify(require.resolve('js-redis-server'))})
    .createRedisMock({ host: '127.0.0.1', port: ${String(port)} })`;
  const launch = async (): Promise<ServerProcess> => {
    const server = await spawnServer(process.execPath, ['-e', script], {
      detached: options.detached,
    });
    await until(() => redisCommand(url, ['PING']), 'js-redis-server', START_MS, server);
    return server;
  };
  let server = await launch();
  return {
    url,
    port,
    busPort: 0,
    dir: '',
    pid: () => server.pid,
    process: () => server,
    kill: (signal) => server.signal(signal),
    restart: async () => {
      await server.stop('SIGKILL');
      server = await launch();
    },
    stop: () => server.stop(),
  };
}
