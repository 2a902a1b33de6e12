import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { startFakeDirectory, type FakeDirectory } from './test-support/fake-directory';
import {
  ask,
  begin,
  errorOfEnd,
  HEADERS,
  isAlive,
  SMALL_SERVER,
  startRig,
  stdioServer,
  until,
  type Rig,
} from './test-support/rig';
import { startRunnerProcess } from './test-support/runner-process';

// Children with users of their own. Only root can start them, so elsewhere these tests are skipped.

const FIRST_UID = 61_000;
const LAST_UID = 61_031;
const UIDS = `${String(FIRST_UID)}-${String(LAST_UID)}`;
/** Of a second runner: when a runner ends, all processes of its range do. */
const OTHER_UIDS = { first: 61_100, last: 61_131 };
const USERS = { RUNNER_CHILD_UIDS: UIDS, RUNNER_SAME_USER: 'false', RUNNER_MAX_SESSIONS: '32' };
const asRoot = process.platform === 'linux' && process.geteuid?.() === 0;

/** Programs where every user can run them, wherever this checkout is. */
let programs = '';
/** Every user may write it. It is the runner's folder for temporary files instead of /tmp, which may contain anything. */
let shared = '';
let rig: Rig;
let directory: FakeDirectory;

function commands() {
  const small = {
    command: join(programs, 'node'),
    args: [join(programs, 'server.cjs')],
    memoryMb: 0,
  };
  return { small, few: { ...small, maxProcesses: 3 } };
}

function users() {
  return { ...USERS, RUNNER_SHARED_FOLDERS: shared, TMPDIR: shared };
}

function secondUsers(folder: string) {
  const { first, last } = OTHER_UIDS;
  return { ...USERS, RUNNER_CHILD_UIDS: `${first}-${last}`, RUNNER_SHARED_FOLDERS: folder };
}

/** A folder that every user may write. */
function openFolder(path: string): string {
  mkdirSync(path);
  chmodSync(path, 0o1777);
  return path;
}

function fileOf(uid: number, path: string): string {
  writeFileSync(path, 'of an earlier child');
  return owned(uid, path);
}

function owned(uid: number, path: string): string {
  chownSync(path, uid, uid);
  return path;
}

/** Processes of the users of children; those that have ended but nobody has waited for do not count. */
function ofChildren(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${String(pid)}/status`, 'latin1');
        const uid = Number(/^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1]);
        return uid >= FIRST_UID && uid <= LAST_UID && !/^State:\s+Z/m.test(status);
      } catch {
        // It has ended meanwhile.
        return false;
      }
    });
}

async function end(url: string, session: string): Promise<void> {
  const headers = { ...HEADERS, 'mcp-session-id': session };
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
}

test('commands without users for their processes are refused', async () => {
  const started = startRig(undefined, { RUNNER_SAME_USER: 'false' });
  await expect(started).rejects.toThrow(/RUNNER_CHILD_UIDS.*RUNNER_SAME_USER/);
});

(asRoot ? describe : describe.skip)('as root', () => {
  beforeAll(async () => {
    programs = mkdtempSync(join(tmpdir(), 'tollgate-programs-'));
    chmodSync(programs, 0o755);
    copyFileSync(process.execPath, join(programs, 'node'));
    copyFileSync(SMALL_SERVER, join(programs, 'server.cjs'));
    shared = openFolder(join(programs, 'shared'));
    rig = await startRig(commands(), users());
    directory = await startFakeDirectory();
    directory.connections.set('small', stdioServer('small'));
  });
  afterAll(async () => {
    await rig.stop();
    await directory.stop();
    await rm(programs, { recursive: true });
  });

  test('fewer users than sessions are refused', async () => {
    const started = startRig(commands(), { ...USERS, RUNNER_CHILD_UIDS: '61000-61002' });
    await expect(started).rejects.toThrow('fewer users than RUNNER_MAX_SESSIONS (32)');
  });

  test('each session has another user, who reads neither the runner nor other sessions', async () => {
    const url = rig.url('small');
    const [one, two] = [await begin(url), await begin(url)];
    const [first, second] = [
      (await ask(url, one, 'test/process')).result,
      (await ask(url, two, 'test/process')).result,
    ];
    expect(first?.['uid']).toBeGreaterThanOrEqual(FIRST_UID);
    expect(second?.['uid']).not.toBe(first?.['uid']);
    for (const pid of [process.pid, second?.['pid'], rig.runner.watchdogPid()]) {
      const path = `/proc/${String(pid)}/environ`;
      expect((await ask(url, one, 'test/read', { path })).result).toEqual({ code: 'EACCES' });
    }
    const { TMPDIR = '' } = (second?.['env'] ?? {}) as Record<string, string>;
    expect(dirname(TMPDIR)).toBe(shared);
    await ask(url, two, 'test/write', { path: join(TMPDIR, 'own') });
    const foreign = await ask(url, one, 'test/read', { path: join(TMPDIR, 'own') });
    expect(foreign.result).toEqual({ code: 'EACCES' });
    await end(url, one);
    await end(url, two);
  });

  test('the end of a session takes processes that hide, and all files of its user', async () => {
    const url = rig.url('small');
    const session = await begin(url);
    const hidden = (await ask(url, session, 'test/hidden')).result?.['pid'];
    const { env } = (await ask(url, session, 'test/process')).result ?? {};
    const { TMPDIR = '' } = env as Record<string, string>;
    const left = join(openFolder(join(shared, 'deeper')), 'left');
    await ask(url, session, 'test/write', { path: left });
    expect([isAlive(hidden), existsSync(TMPDIR), existsSync(left)]).toEqual([true, true, true]);
    await end(url, session);
    expect([existsSync(TMPDIR), existsSync(left)]).toEqual([false, false]);
    await until('the hidden process is gone', () => !isAlive(hidden));
  });

  test('files of an earlier runner are gone before the start, those of others stay', async () => {
    const { first, last } = OTHER_UIDS;
    const folder = openFolder(join(programs, 'used-before'));
    const deeper = openFolder(join(folder, 'deeper'));
    const open = openFolder(join(folder, 'open'));
    const closed = openFolder(join(folder, 'closed'));
    const old = [
      fileOf(first, join(folder, 'one')),
      fileOf(last, join(deeper, 'two')),
      // Only once the last one's file is gone can the first one's folder be removed.
      owned(first, open),
      fileOf(last, join(open, 'three')),
      fileOf(first, join(closed, 'four')),
    ];
    chmodSync(closed, 0);
    old.push(owned(first, closed));
    const strange = [
      fileOf(0, join(deeper, 'root')),
      fileOf(first - 1, join(folder, 'before')),
      fileOf(last + 1, join(folder, 'after')),
    ];
    const second = await startRig(commands(), secondUsers(folder));
    expect(old.filter(existsSync)).toEqual([]);
    expect(strange.filter(existsSync)).toEqual(strange);
    await second.stop();
  });

  test('a user of whom a file cannot be removed is never used', async () => {
    const { first } = OTHER_UIDS;
    const folder = openFolder(join(programs, 'stuck'));
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    fileOf(first, join(closed, 'file'));
    const second = await startRig(commands(), secondUsers(folder));
    const error = { level: 'error', message: 'files of earlier children cannot be removed' };
    expect(second.logs).toContainEqual(expect.objectContaining({ ...error, users: [first] }));
    const session = await begin(second.url('small'));
    const process = (await ask(second.url('small'), session, 'test/process')).result;
    expect(process?.['uid']).toBe(first + 1);
    await second.stop();
  });

  test('a program that forks without end is bounded, and nothing of it is left', async () => {
    const url = rig.url('few');
    const session = await begin(url);
    const error = await errorOfEnd(url, session, 'test/children', { count: 1_000 });
    expect(error).toContain('MCP server ended');
    await until('nothing is left', () => rig.runner.sessions.size() === 0);
    expect(ofChildren()).toEqual([]);
  });

  test('a killed runner leaves nothing behind, not even what hides', async () => {
    const env = { ...users(), RUNNER_MAX_SESSIONS_PER_KEY: '32' };
    const runner = await startRunnerProcess(directory.address, commands(), env);
    const url = runner.url('small');
    for (let n = 0; n < 5; n += 1) {
      const session = await begin(url);
      await ask(url, session, 'test/hidden');
      await ask(url, session, 'test/child');
    }
    expect(ofChildren()).toHaveLength(15);
    await runner.end('SIGKILL');
    await until('nothing is left', () => ofChildren().length === 0);
  });
});
