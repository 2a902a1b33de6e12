import {
  PolicyServiceDefinition,
  type SessionReply__Output,
  type SessionRequest,
} from '@tollgate/contracts/node';

import { until } from '../test-support/harness';
import type { Answer, Payload } from './item';
import { createSessionPool, type SessionPool } from './pool';

const pools: SessionPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.stop();
});

type Say = (frame: SessionReply__Output) => void;
/** A frame that arrives without results. */
function said(draining: boolean): SessionReply__Output {
  const { responseSerialize, responseDeserialize } = PolicyServiceDefinition.Session;
  return responseDeserialize(responseSerialize({ draining }));
}

/** A pool whose sessions record the frames and answer none. Policy greets each session. */
async function open(sessions = 2) {
  const frames: { session: number; kinds: string[] }[] = [];
  const ended: string[] = [];
  const says = new Map<number, Say>();
  let opened = 0;
  const pool = createSessionPool({
    replicas: [{ address: 'policy' }],
    sessionsPerReplica: sessions,
    window: 1_000,
    recycleMs: 60_000,
    connect: ({ address }) => {
      const session = opened++;
      return Promise.resolve({
        write: (frame: SessionRequest) => {
          const kinds = (frame.items ?? []).map((item) => kindOf(item));
          frames.push({ session, kinds });
        },
        end: () => ended.push(address),
        cancel: () => undefined,
        onFrame: (say: Say) => {
          says.set(session, say);
          setImmediate(say, said(false));
        },
        onClosed: () => undefined,
      });
    },
    nowMs: () => 0,
    realMs: () => 0,
    random: () => 0.5,
    onFrame: () => undefined,
    onClosed: () => undefined,
    onOpen: () => undefined,
    onReconnect: () => undefined,
  });
  pools.push(pool);
  await until(() => pool.open() === sessions, 'the sessions to open');
  const answers: Answer[] = [];
  const ask = (kind: Payload['kind']): void => {
    const callbacks = { answered: (answer: Answer) => answers.push(answer), late: () => undefined };
    pool.ask({ kind, message: {} }, 1_000, callbacks);
  };
  /** The first item of this session is answered. */
  const reply = (session: number, floatId = ''): void => {
    const { responseSerialize, responseDeserialize } = PolicyServiceDefinition.Session;
    const frame = responseSerialize({ results: [{ correlationId: 1, extend: { floatId } }] });
    says.get(session)?.(responseDeserialize(frame));
  };
  return { answers, ask, ended, frames, opened: () => opened, pool, reply, says };
}

function kindOf(item: object): string {
  return Object.keys(item).find((name) => name !== 'correlationId') ?? '';
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a settle travels ahead of the next request in its frame', async () => {
  const { ask, frames } = await open();
  ask('settle');
  ask('settle');
  ask('authorize');
  await turn();
  expect(frames.map(({ kinds }) => kinds)).toEqual([['settle', 'settle', 'authorize']]);
});

test('a settle without a following request is sent alone', async () => {
  const { ask, frames } = await open();
  ask('settle');
  await until(() => frames.length > 0, 'a frame');
  expect(frames.map(({ kinds }) => kinds)).toEqual([['settle']]);
});

test('a full batch of settles is sent at once', async () => {
  const { ask, frames } = await open();
  for (let n = 0; n < 129; n += 1) ask('settle');
  await turn();
  expect(frames.flatMap(({ kinds }) => kinds)).toHaveLength(129);
});

test('requests of one turn share a frame, and the next turn uses another session', async () => {
  const { ask, frames } = await open();
  for (let n = 0; n < 3; n += 1) ask('authorize');
  await turn();
  for (let n = 0; n < 3; n += 1) ask('authorize');
  await turn();
  expect(frames.map(({ kinds }) => kinds.length)).toEqual([3, 3]);
  expect(new Set(frames.map(({ session }) => session)).size).toBe(2);
});

test('items for one session do not decide where the next question goes', async () => {
  const { answers, ask, frames, pool, reply } = await open();
  const callbacks = { answered: () => undefined, late: () => undefined };
  ask('extend');
  await turn();
  const own = frames.splice(0)[0]?.session ?? 0;
  reply(own);
  const via = answers[0]?.ok ? answers[0].session : undefined;
  for (let n = 0; n < 10; n += 1) {
    pool.ask({ kind: 'settle', message: {} }, 1_000, { ...callbacks, via });
    ask('authorize');
    await turn();
  }
  const where = (kind: string) =>
    frames.filter(({ kinds }) => kinds.includes(kind)).map(({ session }) => session);
  expect(new Set(where('settle'))).toEqual(new Set([own]));
  for (const session of [0, 1])
    expect(where('authorize').filter((one) => one === session)).toHaveLength(5);
});

test('questions to one process share a session, and processes have them in turn', async () => {
  const { ask, frames, reply } = await open(4);
  for (const process of ['a', 'b', 'a', 'b']) {
    ask('extend');
    await turn();
    reply(frames.at(-1)?.session ?? 0, `${process}.1`);
  }
  frames.length = 0;
  for (let n = 0; n < 8; n += 1) {
    ask('authorize');
    await turn();
  }
  const used = frames.map(({ session }) => session);
  expect(new Set(used).size).toBe(2);
  for (const session of used) expect(used.filter((one) => one === session)).toHaveLength(4);
});

test('questions beyond the window of a session go to another one of its process', async () => {
  const { answers, ask, frames, reply } = await open(2);
  for (let n = 0; n < 2; n += 1) {
    ask('extend');
    await turn();
    reply(frames.at(-1)?.session ?? 0, 'a.1');
  }
  answers.length = 0;
  for (let n = 0; n < 1_500; n += 1) ask('authorize');
  await turn();
  expect(answers).toEqual([]);
});

test('a frame has at most 256 items', async () => {
  const { ask, frames } = await open();
  for (let n = 0; n < 600; n += 1) ask('authorize');
  await turn();
  expect(frames.map(({ kinds }) => kinds.length)).toEqual([256, 256, 88]);
});

test('a request without room in any window is refused at once', async () => {
  const { answers, ask } = await open(1);
  for (let n = 0; n < 1_001; n += 1) ask('authorize');
  expect(answers).toMatchObject([{ ok: false, failure: { dependency: 'policy' } }]);
});

test('a settle without a session fails as unavailable', async () => {
  const { answers, ask } = await open(0);
  ask('settle');
  await until(() => answers.length > 0, 'an answer');
  expect(answers).toMatchObject([{ ok: false, failure: { dependency: 'policy' } }]);
});

const replicas = (...addresses: string[]) => addresses.map((address) => ({ address }));

test('a new replica gets as many sessions as the others', async () => {
  const { ask, frames, pool } = await open();
  pool.use(replicas('policy', 'second'));
  await until(() => pool.open() === 4, 'its sessions to open');
  for (let n = 0; n < 4; n += 1) {
    ask('authorize');
    await turn();
  }
  expect(new Set(frames.map(({ session }) => session)).size).toBe(4);
});

test('sessions to a replica that is gone are retired, and not opened again', async () => {
  const { ended, opened, pool } = await open();
  pool.use(replicas('policy', 'second'));
  await until(() => pool.open() === 4, 'its sessions to open');
  await turn();
  pool.use(replicas('second'));
  expect(pool.open()).toBe(2);
  expect(ended).toEqual(['policy', 'policy']);
  expect(opened()).toBe(4);
});

test('the last sessions continue until another replica has one', async () => {
  const { ended, pool } = await open(1);
  pool.use([]);
  expect(pool.open()).toBe(1);
  expect(ended).toEqual([]);
  pool.use(replicas('second'));
  await until(() => ended.length > 0, 'the old session to be retired');
  expect(ended).toEqual(['policy']);
  expect(pool.open()).toBe(1);
});

test('a policy that is stopping gets no more items if another one serves', async () => {
  const { ask, frames, pool, says } = await open(1);
  pool.use(replicas('policy', 'second'));
  await until(() => pool.open() === 2, 'its session to open');
  await turn();
  says.get(0)?.(said(true));
  for (let n = 0; n < 4; n += 1) {
    ask('authorize');
    await turn();
  }
  const sessions = frames.map(({ session }) => session);
  expect(sessions).not.toContain(0);
  expect(sessions).toHaveLength(4);
});
