import type { Invalidation__Output } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { createApplyChange } from './apply-change';

function bench(forgetting = Promise.resolve()) {
  const done: string[] = [];
  const warnings: string[] = [];
  const apply = createApplyChange({
    directory: {
      sawChange: (seq) => done.push(`saw ${String(seq)}`),
      drop: ({ organisationId = '' }) => done.push(`drop ${organisationId}`),
    },
    forgetCounters: (shard, rev, limitIds) => {
      done.push(`forget ${String(shard)} ${String(rev)} ${limitIds.join()}`);
      return forgetting;
    },
    log: createLogger({ service: 'test', level: 'warn', write: (line) => warnings.push(line) }),
  });
  const change = (over: Partial<Invalidation__Output> = {}): Invalidation__Output => ({
    seq: 7,
    organisationId: 'org',
    kind: 'LIMIT',
    keySha256: Buffer.alloc(0),
    limitIds: [],
    shard: 3,
    rev: 0,
    committedAtMs: 0,
    ...over,
  });
  return { apply, change, done, warnings };
}

test('a change is noted before the contexts that it concerns are dropped', () => {
  const { apply, change, done } = bench();
  apply(change());
  expect(done).toEqual(['saw 7', 'drop org']);
});

test.each([
  ['names limits', { limitIds: ['a', 'b'] }, 'forget 3 0 a,b'],
  ['raises the revision', { rev: 9 }, 'forget 3 9 '],
])('a change that %s forgets counters of its shard', (_, over, forgotten) => {
  const { apply, change, done } = bench();
  apply(change(over));
  expect(done).toEqual(['saw 7', 'drop org', forgotten]);
});

test('counters that cannot be forgotten are logged and fail nothing', async () => {
  const failing = Promise.reject(new Error('redis is away'));
  const { apply, change, warnings } = bench(failing);
  apply(change({ limitIds: ['a'] }));
  await failing.catch(() => {});
  expect(warnings.join()).toContain('redis is away');
});
