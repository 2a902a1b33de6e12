import { startFakeDirectory, type FakeDirectory } from './test-support/fake-directory';
import {
  ask,
  begin,
  COMMANDS,
  errorOfEnd,
  HEADERS,
  INITIALIZE,
  isAlive,
  post,
  startRig,
  stdioServer,
  until,
  type Rig,
} from './test-support/rig';
import { startRunnerProcess, type RunnerProcess } from './test-support/runner-process';

// Child processes: what they may do wrong, and that nothing of them is left over.

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    ...COMMANDS,
    few: { ...COMMANDS.small, maxProcesses: 3 },
    tight: { ...COMMANDS.small, memoryMb: 300 },
    brief: { ...COMMANDS.small, idleSeconds: 1 },
  });
});
afterAll(() => rig.stop());

async function end(url: string, session: string): Promise<void> {
  const headers = { ...HEADERS, 'mcp-session-id': session };
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
}

describe('the end of a session', () => {
  test.each(['small', 'stubborn'])('ends the whole group of the command %s', async (command) => {
    const url = rig.url(command);
    const session = await begin(url);
    const own = (await ask(url, session, 'test/process')).result?.['pid'];
    const child = (await ask(url, session, 'test/child')).result?.['pid'];
    expect([isAlive(own), isAlive(child)]).toEqual([true, true]);
    await end(url, session);
    expect(isAlive(own)).toBe(false);
    await until('the child of the child is gone', () => !isAlive(child));
  });

  test('ends a process that left its group', async () => {
    const url = rig.url('small');
    const session = await begin(url);
    const daemon = (await ask(url, session, 'test/daemon')).result?.['pid'];
    await end(url, session);
    await until('the daemon is gone', () => !isAlive(daemon));
  });

  test('comes with the child’s own end, and answers what waits', async () => {
    const url = rig.url('small');
    const session = await begin(url);
    const grandchild = (await ask(url, session, 'test/child')).result?.['pid'];
    const answer = await ask(url, session, 'test/exit');
    expect(answer).toMatchObject({ error: { data: { code: 'server_ended' } } });
    expect(await ask(url, session, 'ping')).toMatchObject({ status: 404 });
    await until('the child of the child is gone', () => !isAlive(grandchild));
  });

  test('comes when it is idle', async () => {
    const url = rig.url('brief');
    const session = await begin(url);
    const own = (await ask(url, session, 'test/process')).result?.['pid'];
    await until('the idle child is gone', () => !isAlive(own));
    expect(await ask(url, session, 'ping')).toMatchObject({ status: 404 });
  });

  test('comes when it never begins', async () => {
    const before = rig.runner.sessions.size();
    const abort = new AbortController();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test/silent' });
    const session = await begin(rig.url('small'));
    const headers = { ...HEADERS, 'mcp-session-id': session };
    const waiting = fetch(rig.url('small'), {
      method: 'POST',
      headers,
      body,
      signal: abort.signal,
    });
    // The headers of the stream come although the server is silent.
    const answer = await waiting;
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    abort.abort();
    await end(rig.url('small'), session);
    await until('the session is gone', () => rig.runner.sessions.size() <= before);
  });
});

describe('a child that', () => {
  test('sends what is no message loses only that', async () => {
    const url = rig.url('small');
    const session = await begin(url);
    expect(await ask(url, session, 'test/garbage')).toMatchObject({ status: 200, result: {} });
    const told = rig.logs.filter(({ message }) => String(message).includes('no message'));
    expect(told).toHaveLength(1);
  });

  test('floods its standard error goes on, and the log is bounded', async () => {
    const url = rig.url('small');
    const startedMs = performance.now();
    const session = await begin(url);
    const flood = { bytes: 8 * 1024 * 1024, lines: 5_000 };
    expect(await ask(url, session, 'test/stderr', flood)).toMatchObject({ status: 200 });
    const logged = () => rig.logs.filter(({ message }) => message === 'standard error');
    await until('the log has reached its bound', () => logged().length >= 20);
    expect(await ask(url, session, 'test/stderr', flood)).toMatchObject({ status: 200 });
    const lines = logged();
    // Those of a window; a busy machine may be in its next one.
    const windows = 1 + Math.floor((performance.now() - startedMs) / 10_000);
    expect(lines.length).toBeLessThanOrEqual(20 * windows);
    expect(Math.max(...lines.map(({ line }) => String(line).length))).toBe(1_000);
  });

  test('sends a line of 15 MiB is heard, one of 17 MiB ends it', async () => {
    const url = rig.url('small');
    const session = await begin(url);
    const fits = await ask(url, session, 'test/line', { bytes: 15 * 1024 * 1024 });
    expect(String(fits.result?.['text'])).toHaveLength(15 * 1024 * 1024);
    const huge = await ask(url, session, 'test/line', { bytes: 17 * 1024 * 1024 });
    expect(JSON.stringify(huge.error)).toContain('a line of more than 16777216 bytes');
  });

  test('starts too many processes is ended', async () => {
    const url = rig.url('few');
    const session = await begin(url);
    const error = await errorOfEnd(url, session, 'test/children', { count: 5 });
    expect(error).toContain('more than its maxProcesses of 3');
  });

  test('takes more memory than its limit is ended', async () => {
    const url = rig.url('tight');
    const session = await begin(url);
    const error = await errorOfEnd(url, session, 'test/memory', { megabytes: 400 });
    expect(error).toContain('more than its memoryMb of 300');
  });

  test('takes it faster than that is measured is stopped by the kernel', async () => {
    const url = rig.url('tight');
    const answer = await ask(url, await begin(url), 'test/memory', { megabytes: 2_000 });
    expect(answer).toMatchObject({ error: { data: { code: 'server_ended' } } });
  });

  test('cannot be started is refused, and the next start waits', async () => {
    const url = rig.url('failing');
    const first = await post(url, INITIALIZE);
    expect([first.status, await first.text()]).toEqual([
      502,
      expect.stringContaining('exit code 1'),
    ]);
    const second = await post(url, INITIALIZE);
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test('does not answer initialize in time is 504 and gone', async () => {
    const slow = await startRig(
      { silent: { command: 'sleep', args: ['600'] } },
      { RUNNER_START_TIMEOUT_MS: '200' },
    );
    try {
      const answer = await post(slow.url('silent'), INITIALIZE);
      expect(answer.status).toBe(504);
      await until('the child is gone', () => slow.runner.sessions.size() === 0);
    } finally {
      await slow.stop();
    }
  });
});

test('a watchdog that is killed is replaced, and knows the children', async () => {
  const url = rig.url('small');
  const session = await begin(url);
  const first = rig.runner.watchdogPid();
  process.kill(first ?? 0, 'SIGKILL');
  await until('another watchdog runs', () => {
    const pid = rig.runner.watchdogPid();
    return pid !== undefined && pid !== first;
  });
  expect(await ask(url, session, 'ping')).toMatchObject({ status: 200 });
  await begin(url);
});

describe('a runner of its own', () => {
  const SESSIONS = 50;
  let directory: FakeDirectory;
  beforeAll(async () => {
    directory = await startFakeDirectory();
    directory.connections.set('small', stdioServer('small'));
    directory.connections.set('stubborn', stdioServer('stubborn'));
  });
  afterAll(() => directory.stop());

  function startProcess(): Promise<RunnerProcess> {
    const commands = {
      small: { ...COMMANDS.small, maxSessions: 1_000 },
      stubborn: { ...COMMANDS.stubborn, maxSessions: 1_000 },
    };
    return startRunnerProcess(directory.address, commands, {
      RUNNER_SAME_USER: 'true',
      RUNNER_MAX_SESSIONS: '1000',
      RUNNER_MAX_SESSIONS_PER_KEY: '1000',
    });
  }

  async function openAll(url: (server: string) => string): Promise<unknown[]> {
    const pids: unknown[] = [];
    for (let n = 0; n < SESSIONS; n += 10) {
      const some = Array.from({ length: 10 }, async (_, at) => {
        const server = url(at % 2 === 0 ? 'small' : 'stubborn');
        const session = await begin(server);
        const own = await ask(server, session, 'test/process');
        const child = await ask(server, session, at % 5 === 0 ? 'test/daemon' : 'test/child');
        pids.push(own.result?.['pid'], child.result?.['pid']);
      });
      await Promise.all(some);
    }
    return pids;
  }

  test.each(['SIGKILL', 'SIGTERM'] as const)(
    'leaves no process behind after %s',
    async (signal) => {
      const runner = await startProcess();
      const pids = await openAll(runner.url);
      expect(pids.filter(isAlive)).toHaveLength(2 * SESSIONS);
      await runner.end(signal);
      await until(`no process is left after ${signal}`, () => !pids.some(isAlive));
    },
  );
});
