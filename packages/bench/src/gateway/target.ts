import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, spawnServer, until, type ServerProcess } from '@tollgate/stack';

import type { Undo } from '../undoing';

/** What is measured: a server of chat requests over HTTP, and its processes. */
export interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Process ids by name; CPU and memory of each make a column. Empty for a remote target. */
  readonly pids: Readonly<Record<string, number>>;
  /** The process between client and upstream. */
  readonly gateway: string;
  /** Whether it serves Anthropic clients from an upstream of OpenAI's format. */
  readonly translates: boolean;
  /** Memory when it had just been set up, bytes; default: measured before its first load. */
  readonly idleBytes?: number | undefined;
  /** The body of a scenario as this target expects it; default: unchanged. */
  readonly bodyOf?: (body: string) => string;
}

export const PORTKEY_VERSION = '1.15.2';

async function start(program: string, args: readonly string[], undo: Undo): Promise<ServerProcess> {
  const child = await spawnServer(process.execPath, [program, ...args], { detached: true });
  undo.push(() => child.stop());
  return child;
}

function answering(url: string, server: ServerProcess): Promise<unknown> {
  return until(
    () => fetch(url, { method: 'POST', body: '{}' }),
    `${url} does not answer`,
    60_000,
    server,
  );
}

const local = (port: number): string => `http://127.0.0.1:${String(port)}`;

/**
 * The upstream of all targets; measured directly as the baseline of latencies. `wanted`: its port,
 * for peers that have been configured before.
 */
export async function startUpstream(undo: Undo, wanted?: number): Promise<Target> {
  const port = wanted ?? (await freePort());
  const server = await start(join(__dirname, 'upstream.js'), [String(port)], undo);
  await answering(local(port), server);
  return {
    name: 'upstream itself',
    url: local(port),
    headers: { authorization: 'Bearer sk-bench' },
    pids: { upstream: server.pid },
    gateway: 'upstream',
    translates: false,
  };
}

/** A collector of spans, and its process. */
export async function startCollector(undo: Undo): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const server = await start(join(__dirname, 'collector.js'), [String(port)], undo);
  await answering(local(port), server);
  return { url: local(port), pid: server.pid };
}

export async function startFloor(upstream: Target, undo: Undo): Promise<Target> {
  const port = await freePort();
  const server = await start(join(__dirname, 'floor.js'), [String(port), upstream.url], undo);
  await answering(local(port), server);
  return {
    name: 'floor',
    url: local(port),
    headers: upstream.headers,
    pids: { floor: server.pid },
    gateway: 'floor',
    translates: false,
  };
}

/** Portkey's gateway, installed from the registry into `dir` if missing. */
export async function startPortkey(upstream: Target, dir: string, undo: Undo): Promise<Target> {
  const folder = join(dir, `portkey-${PORTKEY_VERSION}`);
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(program)) await install(folder, `@portkey-ai/gateway@${PORTKEY_VERSION}`);
  const port = await freePort();
  const server = await start(program, [`--port=${String(port)}`, '--headless'], undo);
  await answering(local(port), server);
  return {
    name: 'portkey',
    url: local(port),
    headers: {
      ...upstream.headers,
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.url}/v1`,
    },
    pids: { portkey: server.pid },
    gateway: 'portkey',
    // It accepts Anthropic's format only for Anthropic-like providers.
    translates: false,
  };
}

async function install(folder: string, packageAtVersion: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const npm = spawn(
    'npm',
    [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      packageAtVersion,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.once('error', reject);
    npm.once('exit', resolve);
  });
  if (code !== 0) {
    throw new Error(`npm could not install ${packageAtVersion}; --no-portkey leaves it out`);
  }
}
