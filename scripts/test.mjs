#!/usr/bin/env node
// `npm test`: installs what is pinned, checks format, lint and types, builds, and runs the unit,
// integration and end-to-end tests. Node built-ins only, because it runs before the install.
// The last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const reports = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
const tools = join(root, 'node_modules', '.bin');
const runtime = join(root, 'node_modules', 'node', 'bin');

const env = {
  ...process.env,
  PATH: [runtime, tools, process.env.PATH ?? ''].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  FORCE_COLOR: '0',
};
// The services under test get their configuration from the tests alone.
for (const name of ['DATABASE_URL', 'REDIS_URL', 'STATE_DIR', 'NODE_ENV']) delete env[name];
// These rewrite committed files, which the checks compare.
for (const name of ['UPDATE_GOLDEN', 'WRITE_PAGES']) delete env[name];

let passed = 0;
let failed = 0;
/** What each step took, in the order of their ends. */
const steps = [];
/** What each test file took. */
const suites = [];

function run(title, command, args, environment = env) {
  const started = Date.now();
  process.stdout.write(`\n== ${title}\n`);
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: environment,
  });
  return note(title, result, started);
}

function note(title, { status, signal, error }, started) {
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const ok = status === 0;
  const outcome = ok ? 'ok' : `failed (${signal ?? status ?? error})`;
  steps.push({ title, outcome, seconds });
  process.stdout.write(`== ${title}: ${outcome} in ${seconds} s\n`);
  return ok;
}

function check(title, command, args) {
  count(run(title, command, args));
}

function count(ok) {
  if (ok) passed += 1;
  else failed += 1;
}

/** Runs checks side by side, one for each core; the output of each is printed when it ends. */
async function checks(list) {
  const waiting = [...list];
  const next = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await checkAside(one);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}

function checkAside([title, command, ...args]) {
  const started = Date.now();
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  return new Promise((done) => {
    const end = (result) => {
      process.stdout.write(`\n== ${title}\n${Buffer.concat(output).toString()}`);
      count(note(title, result, started));
      done();
    };
    child.once('error', (error) => end({ error }));
    child.once('close', (status, signal) => end({ status, signal }));
  });
}

function jest(title, args) {
  const report = join(reports, `${String(Math.random()).slice(2)}.json`);
  const ok = run(title, 'jest', [
    ...args,
    '--ci',
    '--json',
    `--outputFile=${report}`,
    '--silent=false',
  ]);
  if (!existsSync(report)) {
    failed += 1;
    return;
  }
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  for (const { endTime, name, startTime } of result.testResults) {
    suites.push({ name: name.replace(`${root}/`, ''), seconds: (endTime - startTime) / 1000 });
  }
  // A suite that could not be loaded has no failed tests of its own.
  failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  if (!ok && result.numFailedTests + result.numRuntimeErrorTestSuites === 0) failed += 1;
  for (const suite of result.testResults.filter(({ status }) => status === 'failed')) {
    process.stdout.write(`FAILED ${suite.name.replace(`${root}/`, '')}\n`);
  }
}

function printDurations() {
  const wide = Math.max(...steps.map(({ title }) => title.length));
  const all = steps.reduce((sum, { seconds }) => sum + Number(seconds), 0).toFixed(1);
  process.stdout.write('\n== durations in seconds\n');
  for (const { title, outcome, seconds } of steps) {
    process.stdout.write(`${title.padEnd(wide)}  ${seconds.padStart(7)}  ${outcome}\n`);
  }
  process.stdout.write(`${'all'.padEnd(wide)}  ${all.padStart(7)}\n`);
}

const SLOWEST = 25;

/** Files that run side by side share the cores, so their times add up to more than those of the steps. */
function printSlowest() {
  process.stdout.write(`\n== the ${SLOWEST} test files that took longest, in seconds\n`);
  const slowest = suites.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  for (const { name, seconds } of slowest) {
    process.stdout.write(`${seconds.toFixed(1).padStart(7)}  ${name}\n`);
  }
}

function end() {
  rmSync(reports, { recursive: true, force: true });
  printSlowest();
  printDurations();
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  process.exit(failed === 0 ? 0 : 1);
}

/** What a worker takes with the servers that its suite starts. */
const WORKER_BYTES = 4e9;

// A worker keeps much of what its test files loaded. A heap of gigabytes makes garbage collection slow,
// and is not freed at the end within the 500 ms after which Jest kills a worker and warns of a leak.
const UNIT = ['--workerIdleMemoryLimit=1GB', `--maxWorkers=${workers(2)}`];

/** Most suites wait for servers most of the time, so there are more workers than cores. */
function workers(perCore) {
  // In a container, less than the machine has.
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const room = Math.floor(bytes / WORKER_BYTES);
  return Math.max(2, Math.min(Math.round(perCore * availableParallelism()), room));
}

const install = ['--yes', packageManager, 'install', '--frozen-lockfile'];
if (!run('install', 'npx', install, { ...env, PATH: process.env.PATH })) {
  failed += 1;
  end();
}
// turbo needs the declared package manager, which npx provides.
const turbo = ['npx', '--yes', packageManager, 'exec', 'turbo'];
// The longest first.
await checks([
  ['types', ...turbo, 'run', 'typecheck', '--output-logs=errors-only', '--concurrency=1'],
  ['format', 'prettier', '--check', '.', '--log-level=warn'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['boundaries', ...turbo, 'boundaries'],
  ['folder arrows', 'node', 'scripts/folder-arrows.mjs'],
  ['commits', 'node', 'scripts/commit-check.mjs'],
  ['dependencies', 'node', 'scripts/dependency-check.mjs'],
]);
const [launcher, ...turboArgs] = turbo;
if (run('build', launcher, [...turboArgs, 'run', 'build', '--output-logs=errors-only'])) {
  passed += 1;
  check('.env.example', 'node', ['scripts/env-example.mjs', '--check']);
  jest('unit and integration tests', UNIT);
  const e2e = ['-c', 'jest.e2e.config.js', '--selectProjects'];
  jest('end-to-end tests, side by side', [...e2e, 'together', `--maxWorkers=${workers(1.5)}`]);
  jest('end-to-end tests, one at a time', [...e2e, 'alone']);
} else {
  failed += 1;
  jest('unit and integration tests', UNIT);
}
end();
