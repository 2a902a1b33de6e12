import { createHash } from 'node:crypto';
import type { GatewayError } from '@tollgate/contracts';

import { CONFIRM_MS, createOpenStreams, GRACE_MS, type OpenStream } from './open-streams';

const keyOf = (name: string) => createHash('sha256').update(name).digest();
const KEY = keyOf('one');

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function setUp(over: { perKeyMost?: number; most?: number } = {}) {
  const state = { valid: true, granted: true, screening: 'p:1', away: false, nowMs: 0 };
  const asked: string[] = [];
  const streams = createOpenStreams({
    perKeyMost: 8,
    most: 16,
    nowMs: () => state.nowMs,
    ask: (key, server) => {
      asked.push(`${key.toString('hex').slice(0, 4)} ${server}`);
      return state.away
        ? Promise.reject(new Error('away'))
        : Promise.resolve({
            valid: state.valid,
            granted: state.granted,
            screening: state.screening,
          });
    },
    ...over,
  });
  const ended: [string, GatewayError | undefined][] = [];
  const open = (name: string, stream: Partial<OpenStream> = {}) => {
    const close = streams.open({
      keySha256: KEY,
      server: 'files',
      screening: 'p:1',
      endless: false,
      end: (error) => {
        ended.push([name, error]);
        close();
      },
      ...stream,
    });
    return close;
  };
  const pass = async (ms: number): Promise<void> => {
    state.nowMs += ms;
    await jest.advanceTimersByTimeAsync(ms);
  };
  return { state, asked, streams, ended, open, pass };
}

test('each key and server is confirmed once in half a second, however many streams it has', async () => {
  const { asked, open, pass } = setUp();
  open('a');
  open('b');
  open('c', { server: 'mail' });
  await pass(CONFIRM_MS);
  expect(asked).toHaveLength(2);
  await pass(CONFIRM_MS);
  expect(asked).toHaveLength(4);
});

test.each([
  ['a revoked key', { valid: false }, 'invalid_api_key'],
  ['a withdrawn grant', { granted: false }, 'mcp_access_denied'],
])('%s ends its streams within a second', async (_what, change, code) => {
  const { state, ended, open, pass } = setUp();
  open('a');
  open('b');
  Object.assign(state, change);
  await pass(1_000);
  expect(ended.map(([name, error]) => [name, error?.code])).toEqual([
    ['a', code],
    ['b', code],
  ]);
});

test('streams go on for a minute while policy is away, and no longer', async () => {
  const { state, ended, open, pass } = setUp();
  open('a');
  state.away = true;
  for (let ms = 0; ms < GRACE_MS - CONFIRM_MS; ms += CONFIRM_MS) await pass(CONFIRM_MS);
  expect(ended).toEqual([]);
  await pass(CONFIRM_MS);
  expect(ended.map(([name, error]) => [name, error?.code])).toEqual([
    ['a', 'dependency_unavailable'],
  ]);
});

test('one confirmation in between begins the minute anew', async () => {
  const { state, ended, open, pass } = setUp();
  open('a');
  state.away = true;
  for (let ms = 0; ms < GRACE_MS / 2; ms += CONFIRM_MS) await pass(CONFIRM_MS);
  state.away = false;
  await pass(CONFIRM_MS);
  state.away = true;
  for (let ms = 0; ms < GRACE_MS - CONFIRM_MS; ms += CONFIRM_MS) await pass(CONFIRM_MS);
  expect(ended).toEqual([]);
});

test('a key has a limit of its own, and there is one for all', () => {
  const { open } = setUp({ perKeyMost: 2, most: 3 });
  const close = open('a');
  open('b');
  expect(() => open('c')).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded' }));
  open('d', { keySha256: keyOf('two') });
  expect(() => open('e', { keySha256: keyOf('three') })).toThrow(
    expect.objectContaining({ code: 'overloaded' }),
  );
  close();
  close();
  expect(() => open('f')).not.toThrow();
});

test('nothing is asked when no stream is open', async () => {
  const { asked, streams, open, pass } = setUp();
  open('a')();
  expect(streams.size()).toBe(0);
  await pass(10 * CONFIRM_MS);
  expect(asked).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});

test('an edge that stops ends the streams that nobody waits for, without an error', () => {
  const { streams, ended, open } = setUp();
  open('call');
  open('listen', { endless: true });
  streams.drain();
  expect(ended).toEqual([['listen', undefined]]);
});

test('streams that nobody waits for end without an error when other policies screen them', async () => {
  const { ended, open, pass, state } = setUp();
  open('call');
  open('listen', { endless: true });
  await pass(CONFIRM_MS);
  expect(ended).toEqual([]);
  state.screening = 'p:2';
  await pass(CONFIRM_MS);
  expect(ended).toEqual([['listen', undefined]]);
});
