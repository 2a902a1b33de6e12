import { EventEmitter } from 'node:events';
import type {
  Allow,
  AuthorizeReply,
  SessionItem__Output,
  SessionReply,
  SessionResult,
} from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { Failure } from '../failure';
import type { BookedMarks } from '../ledger';
import { ask } from '../test-support/contexts';
import type { Items } from './items';
import { serveSession } from './session';

interface Waiting {
  resolve: (reply: AuthorizeReply) => void;
  reject: (error: unknown) => void;
}

// A session whose items the test answers one by one.
function bench(
  options: {
    window?: number;
    itemDeadlineMs?: number;
    accepts?: () => boolean;
    keepsShared?: boolean;
    adoptsFloats?: boolean;
  } = {},
) {
  const emitter = new EventEmitter();
  const frames: SessionReply[] = [];
  const waiting = new Map<string, Waiting>();
  const givenBack: string[] = [];
  const orphans: string[] = [];
  const reports: string[] = [];
  const failures: Failure[] = [];
  const draining = new AbortController();
  const clock = { nowMs: 0 };
  let ended = false;
  let adopt: (floatId: string) => void = () => {};
  let mark: Parameters<BookedMarks['subscribe']>[0] = () => {};
  const unused = () => Promise.reject(new Error('not used'));
  const items: Items = {
    authorize: ({ requestId }) =>
      new Promise((resolve, reject) => waiting.set(requestId, { resolve, reject })),
    dryRun: () => Promise.reject(new Error('not asked')),
    extend: unused,
    settle: unused,
    confirmKey: ({ keySha256 }) => Promise.resolve({ valid: keySha256[0] === 1 }),
    giveBack: (requestId) => givenBack.push(requestId),
    orphan: (requestId) => orphans.push(requestId),
  };
  const bookedMarks: BookedMarks = {
    advance: () => {},
    awaitSeq: () => {},
    refresh: () => Promise.resolve(),
    all: () => [{ shard: 3, epoch: 1, booked: 7 }],
    subscribe: (listener) => {
      mark = listener;
      return () => {};
    },
  };
  serveSession(
    {
      on: emitter.on.bind(emitter),
      write: (frame) => {
        frames.push(frame);
        return options.accepts?.() ?? true;
      },
      end: () => {
        ended = true;
      },
      fail: (failure) => failures.push(failure),
    },
    {
      items,
      bookedMarks,
      reports: { take: (report) => reports.push(report.outcome) },
      edgeRefusals: { take: async ({ code }) => void reports.push(code) },
      onReopened: () => () => {},
      sessionFloats: {
        onAdopt: (listener) => {
          adopt = listener;
          return () => {};
        },
        sessionEnded: () => {},
      },
      itemDeadlineMs: options.itemDeadlineMs ?? 100,
      window: options.window ?? 1_000,
      clock: { now: () => clock.nowMs },
      loopClock: { now: () => clock.nowMs },
      log: createLogger({ service: 'test', level: 'error', write: () => {} }),
    },
    draining.signal,
  );
  const turn = async (): Promise<void> => {
    await jest.advanceTimersByTimeAsync(1);
  };
  const send = (...ids: number[]): void => {
    const keepsShared = options.keepsShared ?? false;
    const adoptsFloats = options.adoptsFloats ?? false;
    const items = ids.map(item);
    emitter.emit('data', { items, attempts: [], refusals: [], keepsShared, adoptsFloats });
  };
  const allow = (id: number, more: Allow = {}): void =>
    waiting.get(requestId(id))?.resolve({ allow: more });
  const results = (): SessionResult[] => frames.flatMap((frame) => frame.results ?? []);
  return {
    emitter,
    frames,
    waiting,
    givenBack,
    orphans,
    reports,
    failures,
    draining,
    clock,
    turn,
    send,
    allow,
    results,
    ended: () => ended,
    adopt: (floatId: string) => adopt(floatId),
    mark: (booked: number) => mark({ shard: 3, epoch: 1, booked }),
  };
}

const requestId = (id: number) => `request-${String(id)}`;
const item = (id: number): SessionItem__Output => ({
  correlationId: id,
  item: 'authorize',
  authorize: ask({ requestId: requestId(id) }),
});
const codes = (results: readonly SessionResult[]) =>
  results.map((one) => [one.correlationId, one.failure?.code ?? 'ok']);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('replies of one turn go out in one frame, in any order', async () => {
  const b = bench();
  await b.turn();
  b.send(1, 2, 3);
  b.allow(3);
  b.allow(1);
  await b.turn();
  expect(b.frames).toHaveLength(2);
  expect(b.frames[1]?.results?.map(({ correlationId }) => correlationId)).toEqual([3, 1]);
});

test('the first frame says how far each shard is booked, later ones what moved', async () => {
  const b = bench();
  await b.turn();
  expect(b.frames[0]?.booked).toEqual([{ shard: 3, epoch: 1, booked: 7 }]);
  b.mark(9);
  await b.turn();
  expect(b.frames[1]?.booked).toEqual([{ shard: 3, epoch: 1, booked: 9 }]);
});

test('a frame carries 256 results at most, and an item beyond 256 in one is a mistake', async () => {
  const b = bench();
  const ids = Array.from({ length: 300 }, (_, index) => index + 1);
  b.send(...ids.slice(0, 200));
  b.send(...ids.slice(200));
  for (const id of ids) b.allow(id);
  await b.turn();
  expect(b.frames.map((frame) => frame.results?.length)).toEqual([256, 44]);
  b.send(...ids.slice(0, 257));
  expect(b.failures.map(({ code }) => code)).toEqual(['INVALID_ARGUMENT']);
});

test('items beyond the window fail at once, and places come free with replies', async () => {
  const b = bench({ window: 2 });
  b.send(1, 2, 3);
  await b.turn();
  expect(codes(b.results())).toEqual([[3, 'RESOURCE_EXHAUSTED']]);
  b.allow(1);
  await b.turn();
  b.send(4);
  b.allow(4);
  await b.turn();
  expect(codes(b.results()).slice(1)).toEqual([
    [1, 'ok'],
    [4, 'ok'],
  ]);
});

test('an item that takes too long fails, and what is allowed later is given back', async () => {
  const b = bench();
  b.send(1);
  b.clock.nowMs = 100;
  await jest.advanceTimersByTimeAsync(26);
  await b.turn();
  expect(codes(b.results())).toEqual([[1, 'DEADLINE_EXCEEDED']]);
  b.allow(1);
  await b.turn();
  expect(b.givenBack).toEqual(['request-1']);
  expect(b.results()).toHaveLength(1);
});

test('an answer that lies unread when its item is found late comes in time', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const b = bench();
  b.send(1);
  b.clock.nowMs = 100;
  jest.advanceTimersByTime(25);
  b.allow(1);
  await turn();
  await turn();
  expect(codes(b.results())).toEqual([[1, 'ok']]);
  expect(b.givenBack).toEqual([]);
});

test('a caller hears that its items are being worked on', async () => {
  const b = bench({ itemDeadlineMs: 1_000 });
  await b.turn();
  const pass = async (ms: number): Promise<void> => {
    b.clock.nowMs += ms;
    await jest.advanceTimersByTimeAsync(ms);
  };
  await pass(500);
  expect(b.frames).toHaveLength(1);
  b.send(1);
  await pass(30);
  expect(b.frames.slice(1)).toMatchObject([{ results: [] }]);
  await pass(90);
  expect(b.frames).toHaveLength(2);
  await pass(30);
  expect(b.frames).toHaveLength(3);
  expect(b.results()).toEqual([]);
});

test('a caller with a hold of a float gets a frame at least every 250 ms', async () => {
  const b = bench();
  const pass = async (ms: number): Promise<void> => {
    for (let n = 0; n < ms; n += 25) {
      b.clock.nowMs += 25;
      await jest.advanceTimersByTimeAsync(25);
    }
  };
  b.send(1);
  b.allow(1);
  await pass(1_000);
  const idle = b.frames.length;
  b.send(2);
  b.allow(2, { floatId: 'process.1' });
  await pass(25);
  expect(b.frames).toHaveLength(idle + 1);
  for (let n = 2; n <= 9; n += 1) {
    await pass(250);
    expect(b.frames.length).toBeGreaterThanOrEqual(idle + n);
  }
});

test('what a broken session was allowed is left to whoever asks again', async () => {
  const b = bench();
  b.send(1);
  b.emitter.emit('cancelled');
  b.allow(1);
  await b.turn();
  expect([b.givenBack, b.orphans]).toEqual([[], []]);
  expect(b.results()).toEqual([]);
});

test('what was failed as late before the session broke is an orphan when it is allowed', async () => {
  const b = bench();
  b.send(1);
  b.clock.nowMs = 100;
  await jest.advanceTimersByTimeAsync(26);
  await b.turn();
  expect(codes(b.results())).toEqual([[1, 'DEADLINE_EXCEEDED']]);
  b.emitter.emit('cancelled');
  b.allow(1);
  await b.turn();
  expect([b.givenBack, b.orphans]).toEqual([[], ['request-1']]);
});

describe('decisions from memory of more than a frame', () => {
  const many = Array.from({ length: 300 }, (_, i) => i);
  async function decided(accepts: () => boolean) {
    const b = bench({ adoptsFloats: true, accepts });
    b.send(...many.slice(0, 150));
    b.send(...many.slice(150));
    for (const id of many) b.allow(id, { floatId: 'p.1', holdToken: Buffer.from('hold') });
    b.frames.length = 0;
    return b;
  }

  test('are told before what edges must adopt', async () => {
    const b = await decided(() => true);
    b.adopt('p.1');
    await b.turn();
    const told = b.frames.map(({ results, adoptFloats }) => [results?.length, adoptFloats ?? []]);
    expect(told).toEqual([
      [256, []],
      [44, ['p.1']],
    ]);
  });

  test('are told as far as frames were written when the session breaks', async () => {
    const b = await decided(() => false);
    await b.turn();
    b.emitter.emit('cancelled');
    expect(b.frames.map(({ results }) => results?.length)).toEqual([256]);
    expect(b.orphans).toEqual(many.slice(256).map(requestId));
  });
});

test('a caller that is told to adopt gets a sign of life from then on', async () => {
  const b = bench({ adoptsFloats: true });
  b.send();
  await b.turn();
  b.adopt('p.1');
  await b.turn();
  const before = b.frames.length;
  b.clock.nowMs = 300;
  await jest.advanceTimersByTimeAsync(300);
  expect(b.frames.length).toBeGreaterThan(before);
});

test('a failure names the dependency, an unforeseen one says nothing of itself', async () => {
  const b = bench();
  b.send(1, 2);
  b.waiting.get('request-1')?.reject(new Failure('UNAVAILABLE', 'away', 'redis'));
  b.waiting.get('request-2')?.reject(new Error('a secret'));
  await b.turn();
  expect(b.results()).toEqual([
    { correlationId: 1, failure: { code: 'UNAVAILABLE', message: 'away', dependency: 'redis' } },
    {
      correlationId: 2,
      failure: { code: 'UNAVAILABLE', message: 'internal error', dependency: 'policy' },
    },
  ]);
});

test('an empty item and a correlation id in use are refused alone', async () => {
  const b = bench();
  b.send(1, 1);
  b.emitter.emit('data', { items: [{ correlationId: 9 }], attempts: [], refusals: [] });
  b.allow(1);
  await b.turn();
  expect(codes(b.results())).toEqual([
    [1, 'INVALID_ARGUMENT'],
    [9, 'INVALID_ARGUMENT'],
    [1, 'ok'],
  ]);
});

test('reports of attempts are taken and not answered', async () => {
  const b = bench();
  await b.turn();
  const before = b.frames.length;
  const attempts = [{ outcome: 'OK' }, { outcome: 'TIMEOUT' }];
  b.emitter.emit('data', { items: [], attempts, refusals: [] });
  await b.turn();
  expect(b.reports).toEqual(['OK', 'TIMEOUT']);
  expect(b.frames).toHaveLength(before);
});

test('draining announces itself, and takes what comes until its caller has another session', async () => {
  const b = bench();
  b.draining.abort();
  await b.turn();
  expect(b.frames.at(-1)?.draining).toBe(true);
  b.send(1);
  await b.turn();
  b.emitter.emit('end');
  await b.turn();
  expect(b.ended()).toBe(false);
  b.allow(1);
  await b.turn();
  expect(codes(b.results())).toEqual([[1, 'ok']]);
  expect(b.ended()).toBe(true);
});

test('a caller that stays takes nothing new after a while, and is answered what it waits for', async () => {
  const b = bench();
  b.send(1);
  b.draining.abort();
  await jest.advanceTimersByTimeAsync(2_000);
  await b.turn();
  b.send(2);
  await b.turn();
  expect(codes(b.results())).toEqual([[2, 'UNAVAILABLE']]);
  expect(b.ended()).toBe(false);
  b.allow(1);
  await b.turn();
  expect(codes(b.results()).at(-1)).toEqual([1, 'ok']);
  expect(b.ended()).toBe(true);
});

test('a peer that reads slowly is waited for', async () => {
  let free = false;
  const b = bench({ accepts: () => free });
  await b.turn();
  b.send(1);
  b.allow(1);
  await b.turn();
  expect(b.frames).toHaveLength(1);
  free = true;
  b.emitter.emit('drain');
  await b.turn();
  expect(codes(b.results())).toEqual([[1, 'ok']]);
});

test('a question about a key is answered beside decisions', async () => {
  const b = bench();
  const keySha256 = Buffer.alloc(32, 1);
  const question: SessionItem__Output = {
    correlationId: 5,
    item: 'confirmKey',
    confirmKey: { keySha256, mcpServer: '' },
  };
  b.emitter.emit('data', { items: [question], attempts: [], refusals: [] });
  await b.turn();
  expect(b.results()).toEqual([{ correlationId: 5, confirmKey: { valid: true } }]);
});

describe('what allows have in common', () => {
  const subject = { organisationId: 'o', apiKeyId: 'k' };
  const ask = async (keepsShared: boolean) => {
    const b = bench({ keepsShared });
    for (const id of [1, 2]) {
      b.send(id);
      b.allow(id, { subject, heldNanoUsd: String(id) });
      await b.turn();
    }
    return b;
  };

  test('is sent once to a caller that keeps it', async () => {
    const b = await ask(true);
    expect(b.frames.flatMap(({ shared = [] }) => shared)).toEqual([{ id: 1, subject }]);
    expect(b.results()).toMatchObject(
      ['1', '2'].map((heldNanoUsd) => ({
        authorize: { allow: { subject: null, subjectId: 1, heldNanoUsd } },
      })),
    );
  });

  test('is sent every time to a caller of an earlier release', async () => {
    const b = await ask(false);
    expect(b.frames.flatMap(({ shared = [] }) => shared)).toEqual([]);
    expect(b.results().map(({ authorize }) => authorize?.allow)).toEqual([
      { subject, heldNanoUsd: '1' },
      { subject, heldNanoUsd: '2' },
    ]);
  });
});
