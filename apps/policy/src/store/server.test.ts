import { createLogger } from '@tollgate/kit';

import { failureOf } from '../failure';
import { buildScripts } from './scripts';
import { createServer, type Server } from './server';
import { SlowError, UnansweredError } from './unavailable';

// Distinguishes a server that does not reply from an overloaded one.

const DEADLINE_MS = 100;
const CALLS = 20;

/** A server whose script calls the test answers. */
async function start() {
  const answers: ((value: unknown) => void)[] = [];
  const replies: Record<string, unknown> = { INFO: 'run_id:1', TIME: ['1', '0'] };
  const server = createServer(
    {
      isReady: true,
      sendCommand: ([name = '']) =>
        name === 'EVALSHA'
          ? new Promise((resolve) => answers.push(resolve))
          : Promise.resolve(replies[name] ?? 'OK'),
      on: () => undefined,
    },
    {
      scripts: buildScripts(),
      deadlineMs: DEADLINE_MS,
      clock: { now: () => Date.now() },
      log: createLogger({ service: 'test', level: 'error', write: () => undefined }),
    },
  );
  await server.info();
  return { answers, server };
}

const run = (server: Server) => server.run('authorize', ['key'], () => []);
const errorsOf = async (calls: Promise<unknown>[]): Promise<unknown[]> => {
  const results = await Promise.allSettled(calls);
  return results.map((result) => (result.status === 'rejected' ? result.reason : undefined));
};

test('a server that answers others is slow, and is asked again at once', async () => {
  const { answers, server } = await start();
  const calls = Array.from({ length: CALLS }, () => run(server));
  answers[0]?.('first');
  const [first, ...others] = await errorsOf(calls);
  expect(first).toBeUndefined();
  for (const error of others) {
    expect(error).toBeInstanceOf(SlowError);
    expect(failureOf(error)).toMatchObject({ code: 'DEADLINE_EXCEEDED', dependency: 'redis' });
  }
  const again = run(server);
  answers.at(-1)?.('again');
  await expect(again).resolves.toBe('again');
});

test('a server that answers nobody is left alone', async () => {
  const { answers, server } = await start();
  const calls = Array.from({ length: CALLS }, () => run(server));
  for (const error of await errorsOf(calls)) {
    expect(error).toBeInstanceOf(UnansweredError);
    expect(error).not.toBeInstanceOf(SlowError);
    expect(failureOf(error)).toMatchObject({ code: 'UNAVAILABLE', dependency: 'redis' });
  }
  await expect(run(server)).rejects.toThrow('did not answer the last calls');
  expect(answers).toHaveLength(CALLS);
});
