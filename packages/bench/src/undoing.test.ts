import { EventEmitter } from 'node:events';

import { undoing } from './undoing';

const step = (done: string[], name: string) => () => {
  done.push(name);
  return Promise.resolve();
};

test('undo steps run in reverse order', async () => {
  const done: string[] = [];
  const answer = await undoing((undo) => {
    undo.push(step(done, 'first'), step(done, 'second'));
    return Promise.resolve(42);
  });
  expect([answer, ...done]).toEqual([42, 'second', 'first']);
});

test('they also run if the work fails, and if one of them does', async () => {
  const done: string[] = [];
  const failing = undoing((undo) => {
    undo.push(step(done, 'first'), () => Promise.reject(new Error('no end')), step(done, 'last'));
    return Promise.resolve();
  });
  await expect(failing).rejects.toThrow('no end');
  expect(done).toEqual(['last', 'first']);
  const failed = undoing((undo) => {
    undo.push(step(done, 'again'));
    return Promise.reject(new Error('no work'));
  });
  await expect(failed).rejects.toThrow('no work');
  expect(done.at(-1)).toBe('again');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s runs them before the process ends', async (signal, code) => {
  const done: string[] = [];
  const host = new EventEmitter();
  const exited = new Promise<number>((resolve) => {
    Object.assign(host, { exit: resolve });
  });
  void undoing(
    (undo) => {
      undo.push(step(done, 'first'), step(done, 'second'));
      return new Promise(() => {});
    },
    host as unknown as NodeJS.Process,
  );
  host.emit(signal, signal);
  await expect(exited).resolves.toBe(code);
  expect(done).toEqual(['second', 'first']);
});

test('no signal handler is left afterwards', async () => {
  const host = new EventEmitter();
  await undoing(() => Promise.resolve(), host as unknown as NodeJS.Process);
  expect(host.eventNames()).toEqual([]);
});
