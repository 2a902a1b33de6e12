import type { SettleRequest } from '@tollgate/contracts/node';

import { createSettleKeeper } from './settles';

const MINUTE_MS = 60_000;
const SESSION = { send: () => true, process: () => '' };

function keeper() {
  let now = 1_000_000;
  const asked: SettleRequest[] = [];
  const settles = createSettleKeeper({
    ask: (payload, _deadlineMs, { answered }) => {
      if (payload.kind !== 'settle') throw new Error('only settles are sent');
      asked.push(payload.message);
      answered({
        ok: true,
        session: SESSION,
        result: {
          correlationId: 0,
          settle: { duplicate: false, seq: 0, shard: 7, limits: [], epoch: 1 },
        },
      });
    },
    deadlineMs: 1_000,
    most: 10,
    nowMs: () => now,
    onRejected: () => undefined,
  });
  return {
    settles,
    asked,
    pass: (ms: number) => {
      now += ms;
    },
    cancel: (requestId: string) => {
      settles.submit({ shard: 7, message: { requestId, cancelled: true } });
    },
  };
}

test('a cancellation is sent again after each data loss of its shard, once', () => {
  const { settles, asked, cancel } = keeper();
  cancel('a');
  settles.reopened([{ shard: 8, epoch: 0 }]);
  expect(asked).toHaveLength(1);
  settles.reopened([{ shard: 7, epoch: 0 }]);
  settles.reopened([
    { shard: 7, epoch: 0 },
    { shard: 8, epoch: 0 },
  ]);
  expect(asked.map(({ requestId }) => requestId)).toEqual(['a', 'a', 'a']);
  expect(settles.kept()).toBe(0);
});

test('a cancellation older than Redis’s possible loss is not sent again', () => {
  const { settles, asked, pass, cancel } = keeper();
  cancel('old');
  pass(MINUTE_MS - 1_000);
  cancel('young');
  pass(2_000);
  settles.reopened([{ shard: 7, epoch: 0 }]);
  expect(asked.map(({ requestId }) => requestId)).toEqual(['old', 'young', 'young']);
});

test('kept cancellations are bounded, and the latest ones stay', () => {
  const { settles, asked, cancel } = keeper();
  for (let n = 0; n < 5_000; n += 1) cancel(String(n));
  asked.length = 0;
  settles.reopened([{ shard: 7, epoch: 0 }]);
  expect(asked).toHaveLength(4_096);
  expect(asked[0]).toMatchObject({ requestId: '904' });
  expect(asked.at(-1)).toMatchObject({ requestId: '4999' });
});

/** The test answers each settle itself. */
function slowKeeper() {
  const sent: { requestId: string; answer: (seq: number, epoch: number) => void }[] = [];
  const settles = createSettleKeeper({
    ask: (payload, _deadlineMs, { answered }) => {
      if (payload.kind !== 'settle') throw new Error('only settles are sent');
      const requestId = payload.message.requestId ?? '';
      sent.push({
        requestId,
        answer: (seq, epoch) =>
          answered({
            ok: true,
            session: SESSION,
            result: {
              correlationId: 0,
              settle: { duplicate: false, seq, shard: 7, limits: [], epoch },
            },
          }),
      });
    },
    deadlineMs: 1_000,
    most: 10,
    nowMs: () => 0,
    onRejected: () => undefined,
  });
  return { settles, sent };
}

test('a settle that is submitted twice is sent once, and tells both when it is booked', () => {
  const { settles, sent } = slowKeeper();
  const told: string[] = [];
  for (const file of ['first', 'second']) {
    const onBooked = (): number => told.push(file);
    settles.submit({ shard: 7, message: { requestId: 'a' } }, { onBooked });
  }
  expect(sent).toHaveLength(1);
  sent[0]?.answer(5, 1);
  settles.booked([{ shard: 7, epoch: 1, booked: 5 }]);
  expect(told).toEqual(['first', 'second']);
});

test('a close whose acknowledgement was lost with its shard is sent again', () => {
  const { settles, sent } = slowKeeper();
  settles.submit({ shard: 7, message: { requestId: 'a' } });
  settles.submit({ shard: 8, message: { requestId: 'b' } });
  settles.reopened([{ shard: 7, epoch: 0 }]);
  expect(sent.map(({ requestId }) => requestId)).toEqual(['a', 'b', 'a']);
  // An acknowledgement of the previous epoch, with a number that another settle has in this one.
  sent[0]?.answer(55, 1);
  settles.booked([{ shard: 7, epoch: 2, booked: 60 }]);
  expect(settles.kept()).toBe(2);
  sent[2]?.answer(61, 2);
  expect(settles.kept()).toBe(2);
  settles.booked([{ shard: 7, epoch: 2, booked: 61 }]);
  expect(settles.kept()).toBe(1);
});

test('a number of an earlier epoch is not compared with the mark of the next', () => {
  const { settles, sent } = slowKeeper();
  // The first message about the shard is a mark of its second epoch.
  settles.submit({ shard: 7, message: { requestId: 'a' } });
  settles.booked([{ shard: 7, epoch: 2, booked: 60 }]);
  sent[0]?.answer(55, 1);
  expect(sent).toHaveLength(2);
  expect(settles.kept()).toBe(1);
  sent[1]?.answer(60, 2);
  expect(settles.kept()).toBe(0);
});

test('a number of an epoch that is over does not wait for a mark of the next one', () => {
  let late: (() => void) | undefined;
  const sent: string[] = [];
  const acknowledged = (seq: number, epoch: number) => ({
    correlationId: 0,
    settle: { duplicate: false, seq, shard: 7, limits: [], epoch },
  });
  const settles = createSettleKeeper({
    ask: ({ kind, message }, _deadlineMs, told) => {
      if (kind !== 'settle') throw new Error('only settles are sent');
      sent.push(message.requestId ?? '');
      if (sent.length > 1) return;
      late = () => told.late?.({ session: SESSION, result: acknowledged(55, 1) });
      told.answered({
        ok: false,
        failure: { code: 'DEADLINE_EXCEEDED', message: '', dependency: '' },
      });
    },
    deadlineMs: 1_000,
    most: 10,
    nowMs: () => 0,
    onRejected: () => undefined,
  });
  settles.submit({ shard: 7, message: { requestId: 'a' } });
  settles.reopened([{ shard: 7, epoch: 2 }]);
  late?.();
  expect(sent).toEqual(['a', 'a']);
  settles.stop();
});

test('a reopening that several policies tell of is acted on once', () => {
  const { settles, sent } = slowKeeper();
  settles.submit({ shard: 7, message: { requestId: 'a' } });
  settles.reopened([{ shard: 7, epoch: 2 }]);
  settles.reopened([{ shard: 7, epoch: 2 }]);
  expect(sent).toHaveLength(2);
});

test('a mark of an earlier epoch, from a policy that lags, ends no settle of the present one', () => {
  const { settles, sent } = slowKeeper();
  settles.booked([{ shard: 7, epoch: 2, booked: 50 }]);
  settles.submit({ shard: 7, message: { requestId: 'a' } });
  sent[0]?.answer(55, 2);
  settles.booked([{ shard: 7, epoch: 1, booked: 90 }]);
  sent[1]?.answer(55, 2);
  expect(settles.kept()).toBe(1);
  settles.booked([{ shard: 7, epoch: 2, booked: 54 }]);
  sent[2]?.answer(55, 2);
  expect(settles.kept()).toBe(1);
  settles.booked([{ shard: 7, epoch: 2, booked: 55 }]);
  expect(settles.kept()).toBe(0);
});
