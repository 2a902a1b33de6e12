import { createSupervisor, type Ended, type Supervised } from './supervise';

/** A process that ends when the test says so, and a clock that only pauses advance. */
function rig(options: { most?: number; neverReady?: boolean } = {}) {
  const said: string[] = [];
  const pauses: number[] = [];
  const givenUp: string[] = [];
  let nowMs = 0;
  let started = 1;
  let asked = false;
  let end: (ended: Ended) => void = () => undefined;
  let ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  let wake: () => void = () => undefined;
  const service: Supervised = {
    name: 'edge',
    ended: () => ended,
    asked: () => asked,
    tail: () => 'last words',
    restart: async () => {
      started += 1;
      nowMs += 1_000;
      ended = new Promise((resolve) => {
        end = resolve;
      });
      wake();
      if (options.neverReady !== true) return;
      end({ code: 1, signal: null });
      throw new Error('not ready');
    },
  };
  const supervisor = createSupervisor({
    say: (line) => said.push(line),
    giveUp: (name) => {
      givenUp.push(name);
      wake();
    },
    nowMs: () => nowMs,
    pause: async (ms, signal) => {
      pauses.push(ms);
      if (!signal.aborted) nowMs += ms;
    },
    limits: { firstMs: 250, mostMs: 1_000, steadyMs: 30_000, most: options.most ?? 3 },
  });
  supervisor.watch(service);
  return {
    said,
    pauses,
    givenUp,
    supervisor,
    started: () => started,
    pass: (ms: number) => {
      nowMs += ms;
    },
    askToEnd: () => {
      asked = true;
    },
    /** Ends the process, and waits until it is restarted or given up. */
    end: (how: Ended) =>
      new Promise<void>((resolve) => {
        wake = () => setImmediate(resolve);
        end(how);
      }),
    /** Ends the process, and lets all consequences happen. */
    endQuietly: async (how: Ended) => {
      end(how);
      await new Promise(setImmediate);
    },
  };
}

const KILLED: Ended = { code: null, signal: 'SIGKILL' };
const CRASHED: Ended = { code: 1, signal: null };

test('a killed process is reported with its signal, and restarted', async () => {
  const { end, said, started } = rig();
  await end(KILLED);
  expect(started()).toBe(2);
  expect(said).toEqual([
    'edge was killed by SIGKILL: restart 1 in 0.3 s.',
    'edge is up again after 1.3 s.',
  ]);
});

test('consecutive restarts wait longer each time, and steady work resets the count', async () => {
  const { end, pass, pauses, said } = rig();
  await end(KILLED);
  await end(CRASHED);
  expect(said).toContain('edge ended with code 1: restart 2 in 0.5 s.');
  pass(30_000);
  await end(KILLED);
  expect(pauses).toEqual([250, 500, 250]);
});

test('a process that keeps ending is given up, with its last output', async () => {
  const { end, givenUp, said, started } = rig({ most: 2 });
  await end(CRASHED);
  await end(CRASHED);
  await end(CRASHED);
  expect(started()).toBe(3);
  expect(givenUp).toEqual(['edge']);
  expect(said.slice(-2)).toEqual([
    'edge has ended 3 times in a row and is not started again.',
    'What it printed last:\nlast words',
  ]);
});

test('a process that does not become ready counts as ended', async () => {
  const { endQuietly, givenUp, said, started } = rig({ most: 2, neverReady: true });
  await endQuietly(KILLED);
  expect(givenUp).toEqual(['edge']);
  expect(started()).toBe(3);
  expect(said.join()).not.toContain('up again');
});

test('a requested end is not reported', async () => {
  const { askToEnd, endQuietly, said, started } = rig();
  askToEnd();
  await endQuietly({ code: 0, signal: null });
  expect([started(), said]).toEqual([1, []]);
});

test('nothing is restarted after the supervisor has stopped', async () => {
  const { endQuietly, said, started, supervisor } = rig();
  supervisor.stop();
  await endQuietly(KILLED);
  expect([started(), said]).toEqual([1, []]);
});
