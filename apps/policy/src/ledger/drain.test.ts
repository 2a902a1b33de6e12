import type { AppendRequest } from '@tollgate/contracts/node';
import { createLogger } from '@tollgate/kit';

import { createDrain } from './drain';
import { createRecentEntries } from './recent-entries';

// Where a drainer takes entries from. A catalog and a store at position 4 of shard 7, epoch 1.

const SHARD = 7;

function bench() {
  const sent: AppendRequest[] = [];
  const failing = { append: 0 };
  const reads: number[] = [];
  const recent = createRecentEntries();
  recent.claim([SHARD]);
  const state = { shard: SHARD, epoch: 1, lastSeq: 4, rev: 0 };
  const meta = {
    epoch: 1,
    seq: 9,
    booked: 4,
    floor: 4,
    rev: 0,
    closedUntilMs: 0,
    sameServer: true,
  };
  const drain = createDrain({
    store: {
      book: ({ position }) => Promise.resolve({ kind: 'BOOKED', booked: position, seq: 9 }),
      readLedger: (_shard, position) => {
        reads.push(position);
        return Promise.resolve({ entries: [], gapBefore: null });
      },
      readMeta: () => Promise.resolve(meta),
    },
    epochs: {
      of: () => 1,
      learn: () => {},
      follow: () => Promise.resolve(),
      recover: () => Promise.resolve(),
    },
    bookedMarks: {
      advance: () => {},
      awaitSeq: () => {},
      refresh: () => Promise.resolve(),
      all: () => [],
      subscribe: () => () => {},
    },
    recent,
    append: (request) => {
      if (failing.append > 0) {
        failing.append -= 1;
        return Promise.reject(new Error('away'));
      }
      sent.push(request);
      state.lastSeq = Number(request.last);
      return Promise.resolve({ committed: true, state: { ...state }, forgetLimitIds: [] });
    },
    stateOf: () => Promise.resolve({ ...state }),
    wait: () => Promise.resolve(),
    onBooked: () => {},
    onQuarantined: () => {},
    log: createLogger({ service: 'test', level: 'error', write: () => {} }),
  });
  const note = (...seqs: number[]): void => {
    for (const seq of seqs) {
      recent.note(SHARD, seq, { epoch: 1, size: 1, entry: () => ({ seq }) });
    }
  };
  return { drain, sent, failing, reads, note };
}

const seqsOf = (sent: readonly AppendRequest[]) =>
  sent.map(({ prev, entries = [] }) => [prev, ...entries.map(({ seq }) => seq)]);

test('what this process has written is sent without a look at the stream', async () => {
  const { drain, sent, reads, note } = bench();
  note(5, 6, 7);
  expect(await drain.run(SHARD)).toBe(3);
  expect(seqsOf(sent)).toEqual([[4, 5, 6, 7]]);
  expect(reads).toEqual([]);
  // Others may have written since.
  expect(await drain.run(SHARD)).toBe(0);
  expect(reads).toEqual([7]);
});

test('a batch that failed is sent again', async () => {
  const { drain, sent, failing, note } = bench();
  note(5, 6);
  failing.append = 1;
  await expect(drain.run(SHARD)).rejects.toThrow('away');
  note(7);
  expect(await drain.run(SHARD)).toBe(3);
  expect(seqsOf(sent)).toEqual([[4, 5, 6, 7]]);
});

test('the stream is read where entries of others stand in between', async () => {
  const { drain, sent, reads, note } = bench();
  note(6, 7);
  expect(await drain.run(SHARD)).toBe(0);
  expect([sent.length, reads]).toEqual([0, [4]]);
});
