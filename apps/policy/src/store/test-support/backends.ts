import { spawnSync } from 'node:child_process';
import { createLogger } from '@tollgate/kit';
import { startJsRedis, startRedis, startRedisCluster, type RedisServer } from '@tollgate/stack';
import { createClient } from 'redis';

import { createStore, type Store, type StoreOptions } from '..';
import { buildScripts, type Scripts } from '../scripts';

// The three servers on which the store must behave the same, and stores whose time tests control.

export const installed = spawnSync('redis-server', ['--version']).status === 0;
export const required = process.env['REQUIRE_REAL'] === '1';

export interface Backend {
  name: string;
  cluster: boolean;
  start: () => Promise<RedisServer>;
}

export const REAL_SERVER: Backend = {
  name: 'redis-server',
  cluster: false,
  start: () => startRedis(),
};
const REAL: Backend[] = [
  REAL_SERVER,
  {
    name: 'redis-server as a cluster',
    cluster: true,
    start: () => startRedisCluster(),
  },
];
const JS: Backend = { name: 'js-redis-server', cluster: false, start: () => startJsRedis() };

/** Runs the same tests on every backend; a missing real server is a skip, or a failure if required. */
export function onEveryBackend(tests: (at: () => Bench) => void): void {
  for (const backend of [...REAL, JS]) {
    const skipped = backend !== JS && !installed && !required;
    onBackend(backend, tests, skipped ? describe.skip : describe);
  }
}

function onBackend(
  backend: Backend,
  tests: (at: () => Bench) => void,
  block: jest.Describe = describe,
): void {
  block(backend.name, () => {
    let bench: Bench | undefined;
    beforeAll(async () => {
      bench = await startBench(backend);
    });
    afterAll(async () => bench?.stop());
    tests(() => {
      if (bench === undefined) throw new Error('the server did not start');
      return bench;
    });
  });
}

/**
 * For tests that are too slow for all backends: the real server if installed, else the JavaScript
 * one.
 */
export function onOneBackend(tests: (at: () => Bench) => void): void {
  const [real] = REAL;
  onBackend(real !== undefined && (installed || required) ? real : JS, tests);
}

export interface Bench {
  server: RedisServer;
  /** Whether it is the real server. */
  real: boolean;
  /** A store on this server; `scripts` may replace the real ones, e.g. without a guard. */
  store(options?: Partial<StoreOptions>): Promise<Store>;
  /** A shard that no other test of this file uses. */
  freshShard(): number;
  /** Sets the time that scripts of a shard (or of `{policies}`) see. */
  setTime(shard: number | 'policies', ms: number): Promise<void>;
  raw(...command: string[]): Promise<unknown>;
  /** Every key of the shard with its value, and their restoration. */
  snapshot(shard: number): Promise<Snapshot>;
  restore(shard: number, snapshot: Snapshot): Promise<void>;
  empty(shard: number): Promise<void>;
  stop(): Promise<void>;
}

/** The commands that restore the shard. */
export type Snapshot = string[][];

/** Reads the time from a key of the same slot instead of the server's clock. */
const TEST_TIME = `return tonumber(redis.call('GET', string.match(KEYS[1], '^{[^}]*}') .. ':clock'))`;
export const TEST_SCRIPTS: Scripts = buildScripts(TEST_TIME);

export const quiet = createLogger({ service: 'test', level: 'error', write: () => {} });

export async function startBench(backend: Backend): Promise<Bench> {
  const server = await backend.start();
  // Without a timeout of its own, which costs a timer and an AbortSignal per command.
  const client = createClient({ url: server.url, RESP: 2, commandOptions: { timeout: 0 } });
  client.on('error', () => {
    // Tests that end the server see it through the store.
  });
  await client.connect();
  const stores: Store[] = [];
  let shards = 0;
  const raw = (...command: string[]): Promise<unknown> => client.sendCommand(command);
  const keysOf = async (shard: number): Promise<string[]> => {
    const keys = await client.keys(`{s${String(shard)}}:*`);
    return keys.filter((key) => !key.endsWith(':clock'));
  };
  const empty = async (shard: number): Promise<void> => {
    for (const key of await keysOf(shard)) await raw('DEL', key);
  };
  return {
    server,
    real: backend !== JS,
    async store(options = {}) {
      const store = createStore({
        redis: { url: server.url, cluster: backend.cluster },
        log: quiet,
        scripts: TEST_SCRIPTS,
        deadlineMs: 15_000,
        leaseGraceMs: 0,
        ledgerStreamMax: 1_000,
        ...options,
      });
      stores.push(store);
      await store.connect();
      return store;
    },
    freshShard: () => shards++ % 256,
    async setTime(shard, ms) {
      const tag = shard === 'policies' ? '{policies}' : `{s${String(shard)}}`;
      await raw('SET', `${tag}:clock`, String(ms));
    },
    raw,
    async snapshot(shard) {
      const commands: Snapshot = [];
      for (const key of await keysOf(shard)) commands.push(...(await remake(raw, key)));
      return commands;
    },
    async restore(shard, snapshot) {
      await empty(shard);
      for (const command of snapshot) await raw(...command);
    },
    empty,
    async stop() {
      for (const store of stores) await store.stop();
      client.destroy();
      await server.stop();
    },
  };
}

async function remake(raw: Bench['raw'], key: string): Promise<string[][]> {
  const type = String(await raw('TYPE', key));
  const list = async (...command: string[]) => (await raw(...command)) as string[];
  if (type === 'hash') return [['HSET', key, ...(await list('HGETALL', key))]];
  if (type === 'zset') {
    const flat = await list('ZRANGE', key, '0', '-1', 'WITHSCORES');
    return flat.flatMap((member, i) =>
      i % 2 === 0 ? [['ZADD', key, flat[i + 1] ?? '', member]] : [],
    );
  }
  if (type === 'stream') {
    const entries = (await raw('XRANGE', key, '-', '+')) as [string, string[]][];
    return entries.map(([id, fields]) => ['XADD', key, id, ...fields]);
  }
  // A counter of an ended window has expired since its key was listed.
  if (type === 'none') return [];
  throw new Error(`no way to copy a ${type}`);
}
