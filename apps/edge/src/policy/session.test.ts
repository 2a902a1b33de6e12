import {
  PolicyServiceDefinition,
  type SessionReply,
  type SessionReply__Output,
  type SessionRequest,
} from '@tollgate/contracts/node';

import type { Answer, Item } from './item';
import { createSession } from './session';

const ABILITIES = { keepsShared: true, adoptsFloats: true };

afterEach(() => jest.useRealTimers());

function open() {
  const frames: SessionRequest[] = [];
  const clock = { nowMs: 0 };
  const lost: { reason: string; items: Item[] }[] = [];
  let ended = false;
  let cancelled = false;
  let receive: (frame: SessionReply__Output) => void = () => undefined;
  const session = createSession({
    stream: {
      write: (frame) => frames.push(frame),
      end: () => (ended = true),
      cancel: () => (cancelled = true),
      onFrame: (handle) => (receive = handle),
      onClosed: () => undefined,
    },
    window: 10,
    nowMs: () => clock.nowMs,
    realMs: () => clock.nowMs,
    onFrame: () => undefined,
    onDraining: () => undefined,
    onClosed: (reason, items) => lost.push({ reason, items }),
  });
  const { responseSerialize, responseDeserialize } = PolicyServiceDefinition.Session;
  const arrive = (frame: SessionReply): void => {
    receive(responseDeserialize(responseSerialize(frame)));
  };
  const reply = (correlationId: number): void => arrive({ results: [{ correlationId }] });
  return {
    clock,
    frames,
    arrive,
    reply,
    lost,
    session,
    ended: () => ended,
    cancelled: () => cancelled,
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const item = () => ({
  payload: { kind: 'extend', message: {} } as const,
  dueMs: 1,
  sentMs: 0,
  waiting: true,
  answered: () => undefined,
  late: () => undefined,
});

test('reports are sent in the frame of their turn’s items', async () => {
  const { frames, session } = open();
  session.send(item());
  await turn();
  session.report({ modelId: 'a' });
  session.send(item());
  session.report({ modelId: 'b' });
  await turn();
  expect(frames).toEqual([
    { items: [{ correlationId: 1, extend: {} }], ...ABILITIES },
    { items: [{ correlationId: 2, extend: {} }], attempts: [{ modelId: 'a' }, { modelId: 'b' }] },
  ]);
  session.cancel('over');
});

test('refusals by the edge are sent in the frame too', async () => {
  const { frames, session } = open();
  session.refused({ code: 'invalid_request' });
  session.send(item());
  await turn();
  const [first] = frames;
  expect(first).toEqual({
    items: [{ correlationId: 1, extend: {} }],
    refusals: [{ code: 'invalid_request' }],
    ...ABILITIES,
  });
  session.refused({ code: 'unsupported_parameter' });
  session.retire(1_000);
  expect(session.refused({ code: 'invalid_request' })).toBe(false);
  await turn();
  expect(frames[1]).toEqual({ items: [], refusals: [{ code: 'unsupported_parameter' }] });
  session.cancel('over');
});

test('a frame has at most as many reports as policy accepts', async () => {
  const { frames, session } = open();
  for (let n = 0; n < 300; n += 1) session.report({ modelId: String(n) });
  await turn();
  expect(frames.map(({ attempts }) => attempts?.length)).toEqual([256, 44]);
});

test('a retiring session sends its reports, and accepts no more', async () => {
  const { frames, session, ended } = open();
  expect(session.report({ modelId: 'a' })).toBe(true);
  session.retire(1_000);
  expect(session.report({ modelId: 'b' })).toBe(false);
  await turn();
  expect(frames).toEqual([{ items: [], attempts: [{ modelId: 'a' }], ...ABILITIES }]);
  expect(ended()).toBe(true);
  session.cancel('over');
});

describe('an item past its deadline', () => {
  // The test controls the timers; turns of the event loop are real.
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));

  function ask() {
    const opened = open();
    const answers: Answer[] = [];
    const send = (): void => {
      opened.session.send({ ...item(), dueMs: 500, answered: (answer) => answers.push(answer) });
    };
    const sweep = (): void => {
      jest.advanceTimersByTime(25);
    };
    return { ...opened, answers, send, sweep };
  }

  test('has its answer if that lies unread in the socket', async () => {
    const { answers, cancelled, clock, reply, send, sweep } = ask();
    send();
    await turn();
    clock.nowMs = 500;
    sweep();
    reply(1);
    await turn();
    expect(answers).toMatchObject([{ ok: true }]);
    expect(cancelled()).toBe(false);
  });

  test('ends the session if nothing has arrived since the item was sent', async () => {
    const { answers, cancelled, clock, send, sweep } = ask();
    clock.nowMs = 1;
    send();
    await turn();
    clock.nowMs = 500;
    sweep();
    await turn();
    expect(answers).toMatchObject([{ ok: false, failure: { code: 'DEADLINE_EXCEEDED' } }]);
    expect(cancelled()).toBe(true);
  });

  test('does not end the session if the item was not sent before', async () => {
    const { answers, cancelled, clock, frames, send, sweep } = ask();
    send();
    // One turn of the event loop that takes longer than the deadline.
    clock.nowMs = 2_000;
    sweep();
    await turn();
    expect(frames).toHaveLength(1);
    expect(answers).toHaveLength(1);
    clock.nowMs = 2_025;
    sweep();
    await turn();
    expect(cancelled()).toBe(false);
    clock.nowMs = 2_100;
    sweep();
    await turn();
    expect(cancelled()).toBe(true);
  });
});

describe('a session that has named a float', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));

  const lent = (correlationId: number) => ({
    results: [{ correlationId, authorize: { allow: { floatId: 'process.1' } } }],
  });
  async function pass(clock: { nowMs: number }, ms: number): Promise<void> {
    for (let n = 0; n < ms; n += 100) {
      clock.nowMs += 100;
      jest.advanceTimersByTime(100);
      await turn();
    }
  }

  test('is closed after a second of silence, and nothing it says later is taken', async () => {
    const { arrive, cancelled, clock, lost, session } = open();
    const answers: Answer[] = [];
    session.send(item());
    await turn();
    arrive(lent(1));
    expect(session.process()).toBe('process');
    session.send({ ...item(), dueMs: 60_000, answered: (answer) => answers.push(answer) });
    await turn();
    await pass(clock, 900);
    arrive({});
    await pass(clock, 900);
    expect(cancelled()).toBe(false);
    await pass(clock, 100);
    expect(cancelled()).toBe(true);
    expect(lost).toMatchObject([{ reason: 'policy was silent', items: [{ waiting: true }] }]);
    // Its items need not go to another session of this process.
    expect(session.process()).toBe('');
    arrive(lent(2));
    expect(answers).toEqual([]);
  });

  test('is not closed when its frames lie unread in the socket', async () => {
    const { arrive, cancelled, clock, session } = open();
    session.send(item());
    await turn();
    arrive(lent(1));
    // One turn of the event loop takes five seconds; the timer fires before the socket is read.
    clock.nowMs += 5_000;
    jest.advanceTimersByTime(100);
    arrive({});
    await turn();
    expect(cancelled()).toBe(false);
    session.cancel('over');
  });

  test('may be silent for as long as it has named none', async () => {
    const { arrive, cancelled, clock, session } = open();
    session.send(item());
    await turn();
    arrive({ results: [{ correlationId: 1, authorize: { allow: {} } }] });
    await pass(clock, 10_000);
    expect(cancelled()).toBe(false);
    session.cancel('over');
  });

  test.each([
    ['within its deadline', 500, { floatId: 'process.1' }, true],
    ['after its deadline, unread until now', 501, { floatId: 'process.1' }, false],
    ['after its deadline, of a hold in the store', 501, {}, true],
  ])('an ALLOW %s', async (_, afterMs, allow, taken) => {
    const { arrive, clock, session } = open();
    const answers: Answer[] = [];
    const late: unknown[] = [];
    session.send({
      ...item(),
      dueMs: 15_000,
      answered: (answer) => answers.push(answer),
      late: (reply) => late.push(reply.session),
    });
    clock.nowMs = 7;
    await turn();
    clock.nowMs += afterMs;
    arrive({ results: [{ correlationId: 1, authorize: { allow } }] });
    expect(answers).toMatchObject([{ ok: taken }]);
    // Its hold is given back over the session that decided it.
    expect(late).toEqual(taken ? [] : [session]);
    session.cancel('over');
  });
});

test('policy hears once what the edge can do, and what it names by id is filled in', async () => {
  const { arrive, frames, session } = open();
  const answers: Answer[] = [];
  for (const n of [1, 2]) {
    session.send({ ...item(), answered: (answer) => answers.push(answer) });
    await turn();
    const allow = { subjectId: 7, limits: [{ sharedId: 8, settled: String(n) }] };
    const shared =
      n === 1
        ? [
            { id: 7, subject: { apiKeyId: 'key-1' } },
            { id: 8, limit: { limitId: 'limit-1' } },
          ]
        : [];
    arrive({ shared, results: [{ correlationId: n, authorize: { allow } }] });
  }
  expect(frames).toMatchObject([ABILITIES, {}]);
  expect(frames[1]).not.toHaveProperty('adoptsFloats');
  expect(answers).toMatchObject(
    ['1', '2'].map((spent) => ({
      ok: true,
      result: {
        authorize: {
          allow: {
            subject: { apiKeyId: 'key-1' },
            limits: [{ limitId: 'limit-1', settled: spent }],
          },
        },
      },
    })),
  );
  session.cancel('over');
});

test('a name that means nothing ends the session, and its items are asked again elsewhere', async () => {
  const { arrive, cancelled, lost, session } = open();
  session.send(item());
  session.send(item());
  await turn();
  const allowed = (correlationId: number, subjectId: number) => ({
    correlationId,
    authorize: { allow: { subjectId } },
  });
  const shared = [{ id: 7, subject: { apiKeyId: 'key-1' } }];
  arrive({ shared, results: [allowed(1, 7), allowed(2, 9)] });
  expect(cancelled()).toBe(true);
  expect(lost[0]?.reason).toMatch(/shared part 9/);
  expect(lost[0]?.items).toHaveLength(2);
});
