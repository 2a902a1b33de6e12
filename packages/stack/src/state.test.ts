import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openState } from './state';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tollgate-state-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

// A claim is checked against the processes in /proc, so folders can be claimed on Linux only.
const onLinux = existsSync('/proc/self/stat') ? test : test.skip;

onLinux('a folder that a living launcher has claimed is refused, with what to do', async () => {
  (await openState(dir)).claim();
  const second = await openState(dir);
  expect(() => second.claim()).toThrow(/already runs[^]*STATE_DIR/);
});

onLinux('the claim of a launcher that has ended is taken over', async () => {
  const state = await openState(dir);
  const ended = spawn(process.execPath, ['-e', '']);
  await once(ended, 'exit');
  state.writeJson('launcher.json', { name: 'launcher', pid: ended.pid, startedAt: '1' });
  expect(() => state.claim()).not.toThrow();
});

onLinux('another process that was given its number is not taken for the launcher', async () => {
  const state = await openState(dir);
  state.writeJson('launcher.json', { name: 'launcher', pid: process.pid, startedAt: '1' });
  expect(() => state.claim()).not.toThrow();
});
