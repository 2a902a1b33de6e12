import type { SettleRequest } from '@tollgate/contracts/node';

import { createSettleKeeper } from './settles';

const MINUTE_MS = 60_000;

function keeper() {
  let now = 1_000_000;
  const asked: SettleRequest[] = [];
  const settles = createSettleKeeper({
    ask: (payload, _deadlineMs, { answered }) => {
      if (payload.kind !== 'settle') throw new Error('only settles are sent');
      asked.push(payload.message);
      answered({
        ok: true,
        result: { correlationId: 0, settle: { duplicate: false, seq: 0, shard: 7, limits: [] } },
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

test('a cancellation is repeated when its shard has lost data, once for each loss', () => {
  const { settles, asked, cancel } = keeper();
  cancel('a');
  settles.reopened([8]);
  expect(asked).toHaveLength(1);
  settles.reopened([7]);
  settles.reopened([7, 8]);
  expect(asked.map(({ requestId }) => requestId)).toEqual(['a', 'a', 'a']);
  expect(settles.kept()).toBe(0);
});

test('one that is older than anything Redis rolls back is not', () => {
  const { settles, asked, pass, cancel } = keeper();
  cancel('old');
  pass(MINUTE_MS - 1_000);
  cancel('young');
  pass(2_000);
  settles.reopened([7]);
  expect(asked.map(({ requestId }) => requestId)).toEqual(['old', 'young', 'young']);
});

test('their number is bounded, and the latest are the ones that are kept', () => {
  const { settles, asked, cancel } = keeper();
  for (let n = 0; n < 5_000; n += 1) cancel(String(n));
  asked.length = 0;
  settles.reopened([7]);
  expect(asked).toHaveLength(4_096);
  expect(asked[0]).toMatchObject({ requestId: '904' });
  expect(asked.at(-1)).toMatchObject({ requestId: '4999' });
});
