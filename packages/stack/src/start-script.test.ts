import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

import { workspaceRoot } from './services';

/** What is left of a run that failed. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// pnpm puts a shell script named `node` before the real one, which passes no signal on. `npm start`
// must not run through it: a supervisor that ends npm would leave the launcher behind.
test('a SIGTERM to `npm start` reaches the launcher, whatever `node` is on the path', async () => {
  const root = readFileSync(join(workspaceRoot(), 'package.json'), 'utf8');
  const { scripts } = JSON.parse(root) as { scripts: { start: string } };
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
  let npm: ChildProcessByStdio<null, Readable, null> | undefined;
  try {
    mkdirSync(join(dir, 'node_modules', '.bin'), { recursive: true });
    mkdirSync(join(dir, 'packages', 'stack'), { recursive: true });
    const shim = join(dir, 'node_modules', '.bin', 'node');
    writeFileSync(shim, `#!/bin/sh\n"${process.execPath}" "$@"\nexit $?\n`);
    chmodSync(shim, 0o755);
    writeFileSync(
      join(dir, 'package.json'),
      JSON.stringify({ private: true, scripts: { start: scripts.start } }),
    );
    writeFileSync(
      join(dir, 'packages', 'stack', 'start.mjs'),
      `process.on('SIGTERM', () => { process.stdout.write('stopped'); process.exit(0); });
       setInterval(() => {}, 1_000);
       process.stdout.write('up ');`,
    );
    npm = spawn('npm', ['start', '--silent'], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said === 'up ') npm?.kill('SIGTERM');
    });
    // The pipe ends when nobody holds it any more: a launcher left behind would.
    await once(npm.stdout, 'end');
    expect(said).toBe('up stopped');
  } finally {
    endGroup(npm?.pid);
    rmSync(dir, { recursive: true, force: true });
  }
});
