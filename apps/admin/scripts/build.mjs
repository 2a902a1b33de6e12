// Builds the console into .next/standalone, complete: what start.mjs runs in a checkout, and what an
// image takes. No network is used: no telemetry, no fonts, no images to optimise.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const next = join(dirname(require.resolve('next/package.json')), 'dist/bin/next');
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

function run(command, args) {
  const { status, signal, error } = spawnSync(command, args, { cwd: here, env, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) {
    console.error(`${[command, ...args].join(' ')}: ${signal ?? status}`);
    process.exit(1);
  }
}

const built = join(here, '.next/standalone/apps/admin');
const SERVED = new Set(['.next', 'node_modules', 'package.json', 'server.js']);

rmSync(join(here, '.next/standalone'), { recursive: true, force: true });
run('tsc', ['-p', 'tsconfig.build.json']);
run(process.execPath, [next, 'build']);
run(process.execPath, [join(here, 'scripts/budget.mjs')]);
// What Next took along because it could not tell what is read at run time: our sources are not.
for (const name of readdirSync(built)) {
  if (!SERVED.has(name)) rmSync(join(built, name), { recursive: true });
}
// Resizes pictures, of which there are none; 19 MB.
const store = join(here, '.next/standalone/node_modules/.pnpm');
for (const name of readdirSync(store)) {
  if (/^(sharp@|@img\+)/.test(name)) rmSync(join(store, name), { recursive: true });
}
cpSync(join(here, '.next/static'), join(built, '.next/static'), { recursive: true });
