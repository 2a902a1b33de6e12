// Shared by commands that run a built program: install and build if needed, then run it on the
// pinned Node with the terminal's streams.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function quietly(command, args, env) {
  const result = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ?? ''}\n`);
  process.exit(1);
}

/**
 * Runs `program` (a path below the workspace) with this command's arguments and exits with its
 * code. `fresh`: builds what has changed since the last build first, for programs that test it.
 */
export function runBuilt(program, packageName, { fresh = false } = {}) {
  const runtime = join(root, 'node_modules', 'node', 'bin');
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  if (fresh || !existsSync(join(root, program))) {
    const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    process.stderr.write('Building …\n');
    quietly('npx', ['--yes', packageManager, 'install', '--frozen-lockfile'], env);
    const built = { ...env, PATH: [runtime, env.PATH ?? ''].join(delimiter) };
    const turbo = [
      'exec',
      'turbo',
      'run',
      'build',
      ...packageName.map((name) => `--filter=${name}`),
    ];
    quietly('npx', ['--yes', packageManager, ...turbo], built);
  }
  const args = [join(root, program), ...process.argv.slice(2)];
  const result = spawnSync(join(runtime, 'node'), args, {
    cwd: root,
    env: process.env,
    stdio: 'inherit',
  });
  process.exit(result.status ?? 1);
}
