import type { KeepBodiesReply__Output, KeepBodiesRequest } from '@tollgate/contracts/node';
import { grpcStatus } from '@tollgate/kit';

import type { EndedBodies } from '../exchange/kept-bodies';
import { createByteBudget } from '../intake';
import { createBodyKeeper } from './keeper';

const ROOM = 1_000;
const STOP_MS = 1_000;
/** Of a catalog that keeps all there is. */
const allOf = ({ bodies = [] }: KeepBodiesRequest) => ({
  kept: bodies.filter(({ request }) => request?.leftOut === '').length,
  dayFull: 0,
});

function start(send: (request: KeepBodiesRequest) => Promise<KeepBodiesReply__Output>, most = 10) {
  const outcomes: string[] = [];
  const room = createByteBudget({ totalBytes: ROOM });
  const keeper = createBodyKeeper({
    send,
    room,
    most,
    mostBytes: 1_000,
    metrics: {
      bodyKept: (outcome, count = 1) =>
        void outcomes.push(...Array.from({ length: count }, () => outcome)),
    },
    log: { debug: () => undefined, warn: () => undefined },
    nowMs: () => 0,
    flushMs: 1_000_000,
  });
  let at = 0;
  const ended = (over: Partial<EndedBodies> = {}): EndedBodies => {
    const lease = room.open();
    lease.confirm('organisation-1');
    lease.take(10);
    at += 1;
    return {
      requestId: `request-${String(at)}`,
      organisationId: 'organisation-1',
      atMs: 1,
      request: { document: { a: 'text' } },
      answer: undefined,
      partial: false,
      screening: undefined,
      lease,
      ...over,
    };
  };
  return { ended, keeper, outcomes, room };
}

test('bodies are sent together, and their memory is given back', async () => {
  const sent: KeepBodiesRequest[] = [];
  const { ended, keeper, outcomes, room } = start(async (request) => {
    sent.push(request);
    return allOf(request);
  });
  keeper.keep(ended());
  keeper.keep(ended({ request: { leftOut: 'QUEUE_FULL' } }));
  expect(room.used()).toBe(20);
  await keeper.stop(STOP_MS);
  expect(sent).toMatchObject([
    {
      bodies: [
        { request: { text: '{"a":"text"}', leftOut: '' } },
        { request: { text: '', leftOut: 'QUEUE_FULL' } },
      ],
    },
  ]);
  expect(outcomes.toSorted()).toEqual(['kept', 'queue_full']);
  expect(room.used()).toBe(0);
});

test('a full queue loses bodies, counts them, and holds no memory for them', async () => {
  const { ended, keeper, outcomes, room } = start(async (request) => allOf(request), 2);
  for (let count = 0; count < 5; count += 1) keeper.keep(ended());
  expect(outcomes).toEqual(['lost', 'lost', 'lost']);
  expect(room.used()).toBe(20);
  await keeper.stop(STOP_MS);
  expect(room.used()).toBe(0);
});

test('while the catalog is away bodies wait, and are sent once it is back', async () => {
  let away = true;
  const sent: KeepBodiesRequest[] = [];
  const { ended, keeper, room } = start(async (request) => {
    if (away) throw Object.assign(new Error('away'), { code: grpcStatus.UNAVAILABLE });
    sent.push(request);
    return allOf(request);
  });
  keeper.keep(ended());
  await keeper.stop(STOP_MS);
  expect(room.used()).toBe(10);
  away = false;
  await keeper.stop(STOP_MS);
  expect(sent).toHaveLength(1);
  expect(room.used()).toBe(0);
});

test('what the catalog refuses for good does not block the queue', async () => {
  const { ended, keeper, outcomes, room } = start(async () => {
    throw Object.assign(new Error('older'), { code: grpcStatus.UNIMPLEMENTED });
  });
  keeper.keep(ended());
  await keeper.stop(STOP_MS);
  expect(outcomes).toEqual(['lost']);
  expect(room.used()).toBe(0);
});

test('what the catalog does not keep is counted as that', async () => {
  const { ended, keeper, outcomes } = start(async () => ({ kept: 1, dayFull: 1 }));
  for (let count = 0; count < 3; count += 1) keeper.keep(ended());
  await keeper.stop(STOP_MS);
  expect(outcomes.toSorted()).toEqual(['day_full', 'kept', 'unwanted']);
});

test('a catalog that does not answer holds the end of the process up for no longer than it may', async () => {
  const { ended, keeper, outcomes } = start(() => new Promise(() => undefined));
  keeper.keep(ended());
  keeper.keep(ended());
  await keeper.stop(20);
  expect(outcomes).toEqual(['lost', 'lost']);
});
