import processes from 'node:child_process';

import { createChildUsers } from './child-users';
import { launch } from './launch';

const WHAT = {
  command: '/bin/true',
  args: [],
  cwd: undefined,
  env: {},
  secret: undefined,
  memoryMb: 0,
  maxProcesses: 1,
};

test('without file descriptors there is no child, and its user is free', () => {
  const users = createChildUsers({ first: 61_000, last: 61_000 }, '/tmp');
  const child = new processes.ChildProcess();
  // As `spawn` answers EMFILE: without streams, and with an error that somebody has to hear.
  jest.spyOn(processes, 'spawn').mockReturnValue(child);
  const unused = () => Promise.reject(new Error('there is no child'));
  const started = launch(WHAT, {
    watchdog: {
      add: unused,
      drop: () => undefined,
      running: () => true,
      pid: () => undefined,
      stop: unused,
    },
    users,
    leftovers: { remove: unused, retry: () => undefined },
    setpriv: [],
    killGraceMs: 100,
  });
  expect(started).toBe('it cannot be started: too many open files');
  expect(child.emit('error', new Error('spawn EMFILE'))).toBe(true);
  expect(users.take()?.id).toBe(61_000);
});
