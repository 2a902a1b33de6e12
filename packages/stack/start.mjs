#!/usr/bin/env node
// `npm start`: installs the pinned tools, builds, and runs the launcher on the pinned Node. Uses
// Node built-ins only (20 or newer), because it runs before the install.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { hasLeftovers, SERVICE_PORTS, takenPorts } from './ports.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const state = resolve(root, process.env.STATE_DIR || '.local');
const interactive = process.stdout.isTTY === true;
let running;
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopping = true;
    // A stopping child may take its time; a second signal is passed on too.
    running?.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  });
}

function finished(child) {
  running = child;
  return new Promise((done) => {
    child.once('error', (error) => done({ code: 1, error }));
    child.once('exit', (code, signal) => done({ code: code ?? 1, signal }));
  });
}

async function step(title, command, args, env) {
  const log = join(state, 'logs', `${title.toLowerCase()}.log`);
  const output = openSync(log, 'w', 0o600);
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
  process.stdout.write(interactive ? `  ${title} …` : `  ${title} …\n`);
  const ticker = setInterval(
    () => {
      process.stdout.write(
        interactive ? `\r  ${title} … ${seconds()}` : `  ${title} … ${seconds()}\n`,
      );
    },
    interactive ? 1_000 : 15_000,
  );
  // Its own process group: a Ctrl-C reaches it once, through this process.
  const child = spawn(command, args, {
    cwd: root,
    env,
    stdio: ['ignore', output, output],
    detached: true,
  });
  const result = await finished(child);
  clearInterval(ticker);
  closeSync(output);
  if (stopping) process.exit(130);
  if (result.code === 0) {
    process.stdout.write(
      interactive ? `\r  ${title}: done in ${seconds()}\n` : `  ${title}: done in ${seconds()}\n`,
    );
    return;
  }
  const tail = readFileSync(log, 'utf8').split('\n').slice(-30).join('\n');
  process.stdout.write(
    `\n${tail}\n${title} failed${result.error ? `: ${result.error.message}` : ''}. The whole output: ${log}\n`,
  );
  process.exit(1);
}

function withoutList(argv) {
  const at = argv.indexOf('--without');
  return at === -1 ? [] : (argv[at + 1] ?? '').split(',').filter(Boolean);
}

/** Checks that can fail before minutes are spent on installing and building. */
async function checkFirst(without) {
  const services = Object.keys(SERVICE_PORTS);
  const problems = without
    .filter((name) => !services.includes(name))
    .map((name) => `--without ${name}: there are only ${services.join(', ')}.`);
  if (!hasLeftovers(state)) problems.push(...(await takenPorts(process.env, without)));
  if (problems.length === 0) return;
  process.stdout.write(`${problems.join('\n')}\n`);
  process.exit(1);
}

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    process.stdout.write(
      `Tollgate needs Node 20 or newer to start; this is ${process.versions.node}.\n`,
    );
    process.exit(1);
  }
  await checkFirst(withoutList(process.argv));
  mkdirSync(join(state, 'logs'), { recursive: true, mode: 0o700 });
  process.stdout.write('Tollgate\n');
  const quiet = {
    TURBO_TELEMETRY_DISABLED: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
    CI: 'true',
  };
  const env = { ...process.env, ...quiet };
  // The user's settings for services must not affect the build.
  delete env.NODE_ENV;
  await step('Install', 'npx', ['--yes', packageManager, 'install', '--frozen-lockfile'], env);
  const runtime = join(root, 'node_modules', 'node', 'bin');
  const built = { ...env, PATH: [runtime, env.PATH ?? ''].join(delimiter) };
  const filter = withoutList(process.argv).includes('admin') ? ['--filter=!@tollgate/admin'] : [];
  await step(
    'Build',
    'npx',
    ['--yes', packageManager, 'exec', 'turbo', 'run', 'build', ...filter],
    built,
  );

  const launcher = join(root, 'packages', 'stack', 'dist', 'launch.js');
  // The channel tells the launcher when this process dies.
  const child = spawn(join(runtime, 'node'), [launcher, ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, STATE_DIR: state },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const { code } = await finished(child);
  process.exit(code);
}

await main();
