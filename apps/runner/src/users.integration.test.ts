import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startFakeDirectory, type FakeDirectory } from './test-support/fake-directory';
import {
  ask,
  begin,
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
const USERS = { RUNNER_CHILD_UIDS: UIDS, RUNNER_SAME_USER: 'false', RUNNER_MAX_SESSIONS: '32' };
const asRoot = process.platform === 'linux' && process.geteuid?.() === 0;

/** Programs where every user can run them, wherever this checkout is. */
let programs = '';
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
    rig = await startRig(commands(), USERS);
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
    const shared = join(tmpdir(), `left-by-${String(hidden)}`);
    await ask(url, session, 'test/write', { path: shared });
    expect([isAlive(hidden), existsSync(TMPDIR), existsSync(shared)]).toEqual([true, true, true]);
    await end(url, session);
    expect([existsSync(TMPDIR), existsSync(shared)]).toEqual([false, false]);
    await until('the hidden process is gone', () => !isAlive(hidden));
  });

  test('a program that forks without end is bounded, and nothing of it is left', async () => {
    const url = rig.url('few');
    const session = await begin(url);
    const forked = await ask(url, session, 'test/children', { count: 1_000 });
    const answer = forked.error === undefined ? await ask(url, session, 'test/silent') : forked;
    expect(JSON.stringify(answer.error)).toContain('MCP server ended');
    await until('nothing is left', () => rig.runner.sessions.size() === 0);
    expect(ofChildren()).toEqual([]);
  });

  test('a killed runner leaves nothing behind, not even what hides', async () => {
    const env = { ...USERS, RUNNER_MAX_SESSIONS_PER_KEY: '32' };
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
