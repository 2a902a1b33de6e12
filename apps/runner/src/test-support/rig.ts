// A runner in this process with a fake catalog, a commands file, and a caller.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpConnection } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { startRunner, type Runner } from '../app';
import { loadConfig } from '../config';
import { KEY_RING, startFakeDirectory, type FakeDirectory } from './fake-directory';

export const SMALL_SERVER = join(__dirname, 'small-server.cjs');
const WORKSPACE = join(__dirname, '../../../..');
const HOOK = join(WORKSPACE, 'packages/kit/test/typescript-hook.cjs');
/** The simulator's server on the official SDK, from its source. */
export const SDK_SERVER = [
  '-C',
  '@tollgate/source',
  '-r',
  HOOK,
  join(WORKSPACE, 'packages/simulator/src/mcp/stdio.ts'),
];

export interface Rig {
  readonly directory: FakeDirectory;
  readonly runner: Runner;
  readonly logs: Record<string, unknown>[];
  readonly url: (server: string, version?: number) => string;
  readonly stop: () => Promise<void>;
}

export const COMMANDS = {
  small: { command: process.execPath, args: [SMALL_SERVER], memoryMb: 0 },
  stubborn: { command: process.execPath, args: [SMALL_SERVER, '--stubborn'], memoryMb: 0 },
  failing: { command: process.execPath, args: [SMALL_SERVER, '--exit-at-once'], memoryMb: 0 },
  sdk: { command: process.execPath, args: SDK_SERVER, memoryMb: 0 },
};

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Returns the file's path; it is removed after the tests of a file. */
export function writeCommands(commands: object): string {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-runner-'));
  folders.push(dir);
  const file = join(dir, 'commands.json');
  writeFileSync(file, JSON.stringify(commands));
  return file;
}

/** Each command is also a server of its own name. */
export async function startRig(
  commands: Readonly<Record<string, object>> = COMMANDS,
  env: Readonly<Record<string, string>> = {},
): Promise<Rig> {
  const directory = await startFakeDirectory();
  for (const name of Object.keys(commands)) directory.connections.set(name, stdioServer(name));
  const file = writeCommands(commands);
  const logs: Record<string, unknown>[] = [];
  const log = createLogger({
    service: 'runner',
    level: 'info',
    write: (line) => void logs.push(JSON.parse(line) as Record<string, unknown>),
  });
  const config = loadConfig({
    RUNNER_COMMANDS_FILE: file,
    CATALOG_GRPC_ADDRESS: directory.address,
    KEY_ENCRYPTION_KEYS: KEY_RING,
    RUNNER_SAME_USER: 'true',
    RUNNER_KILL_GRACE_MS: '300',
    // A busy machine answers later than a server should, and a server may start later.
    RUNNER_START_TIMEOUT_MS: '120000',
    RUNNER_CATALOG_DEADLINE_MS: '30000',
    UPSTREAM_ALLOWED_CIDRS: '127.0.0.0/8',
    UPSTREAM_DENIED_PORTS: '1',
    ...env,
  });
  const runner = await startRunner(
    { ...config, RUNNER_PORT: 0, RUNNER_OPS_PORT: 0 },
    { env: { PATH: process.env['PATH'], ...env }, log },
  ).catch(async (error: unknown) => {
    await directory.stop();
    throw error;
  });
  return {
    directory,
    runner,
    logs,
    url: (server, version = 1) => `http://127.0.0.1:${runner.port}/v1/servers/${server}/${version}`,
    stop: async () => {
      await runner.stop();
      await directory.stop();
    },
  };
}

export function stdioServer(command: string, over: McpConnection = {}): McpConnection {
  return { serverId: command, version: 1, transport: 'STDIO', command, ...over };
}

export const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'x-tollgate-principal': 'key-1',
};

export function post(
  url: string,
  message: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body =
    typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
  return fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body });
}

export const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

/** Begins a session, and returns its id. */
export async function begin(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await post(url, INITIALIZE, headers);
  const text = await answer.text();
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session: ${answer.status} ${text}`);
  return id;
}

/**
 * The error of a request under way when its server ends, because of what `method` makes it do. That
 * may end it before or after `method` is answered.
 */
export async function errorOfEnd(
  url: string,
  session: string,
  method: string,
  params: object,
): Promise<string> {
  const waiting = ask(url, session, 'test/silent', {}, 2);
  // One more round trip: the request that waits is under way by now.
  await ask(url, session, 'test/number');
  const [{ error }] = await Promise.all([waiting, ask(url, session, method, params)]);
  return JSON.stringify(error);
}

/** One request in a session; its result or error. */
export async function ask(
  url: string,
  session: string,
  method: string,
  params: object = {},
  id = 1,
): Promise<{ status: number; result?: Record<string, unknown>; error?: Record<string, unknown> }> {
  const answer = await post(url, { id, method, params }, { 'mcp-session-id': session });
  const text = await answer.text();
  const json = answer.headers.get('content-type') === 'application/json' ? text : lastData(text);
  return { status: answer.status, ...(JSON.parse(json) as object) };
}

function lastData(events: string): string {
  return [...events.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? '';
}

export function isAlive(pid: unknown): boolean {
  return existsSync(`/proc/${String(pid)}/stat`);
}

/** Waits until it is true; the promise of the test bounds it. */
export async function until(what: string, look: () => boolean): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!look()) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
