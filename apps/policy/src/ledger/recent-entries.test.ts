import type { Written } from '../holds';
import { createRecentEntries } from './recent-entries';

// Which entries a drainer takes from memory. That the rest comes from the stream is in
// failures.integration.test.

const SHARD = 7;

const written = (requestId: string, epoch = 1, size = 100): Written => ({
  epoch,
  size,
  entry: () => ({ requestId }),
});

function bench(limits?: { entries: number; characters: number }) {
  const recent = createRecentEntries(limits);
  recent.claim([SHARD]);
  const note = (...seqs: number[]): void => {
    for (const seq of seqs) recent.note(SHARD, seq, written(`r${String(seq)}`));
  };
  const after = (position: number, { epoch = 1, max = 100, shard = SHARD } = {}) =>
    recent.after(shard, epoch, position, max).map(({ seq, entry }) => {
      expect(entry.requestId).toBe(`r${String(seq)}`);
      return seq;
    });
  return { recent, note, after };
}

test('entries without a gap are there, until they are booked', () => {
  const { note, after } = bench();
  note(1, 2, 3);
  expect(after(0)).toEqual([1, 2, 3]);
  // A batch that failed is sent again.
  expect(after(0)).toEqual([1, 2, 3]);
  expect(after(2)).toEqual([3]);
  expect(after(3)).toEqual([]);
  expect(after(0)).toEqual([]);
});

test('replies in another order make no gap, and a batch has its limit', () => {
  const { note, after } = bench();
  note(2, 1, 4, 3);
  expect(after(0, { max: 3 })).toEqual([1, 2, 3]);
  expect(after(3, { max: 3 })).toEqual([4]);
});

test('with entries of others in between the stream is read', () => {
  const { note, after } = bench();
  note(1, 2, 4);
  expect(after(0)).toEqual([]);
  note(5);
  // The others' entries are booked.
  expect(after(3)).toEqual([4, 5]);
  expect(after(8)).toEqual([]);
});

test('another epoch has other numbers', () => {
  const { recent, note, after } = bench();
  note(1, 2);
  recent.note(SHARD, 1, { ...written('r1'), epoch: 2 });
  // The answer to a close of the epoch before arrives late.
  note(2);
  expect(after(0)).toEqual([]);
  expect(after(0, { epoch: 2 })).toEqual([1]);
});

test('beyond its limits nothing is kept, and what was kept makes room', () => {
  const { note, after } = bench({ entries: 3, characters: 1_000 });
  note(1, 2, 3, 4);
  expect(after(0)).toEqual([]);
  expect(after(4)).toEqual([]);
  note(5, 6, 7);
  expect(after(4)).toEqual([5, 6, 7]);
  const characters = bench({ entries: 100, characters: 250 });
  characters.note(1, 2, 3);
  expect(characters.after(0)).toEqual([]);
});

test('nothing is kept of shards that others drain', () => {
  const { recent, note, after } = bench();
  recent.note(SHARD + 1, 1, written('r1'));
  recent.claim([SHARD, SHARD + 1]);
  expect(after(0, { shard: SHARD + 1 })).toEqual([]);
  note(1);
  recent.claim([SHARD + 1]);
  recent.claim([SHARD]);
  expect(after(0)).toEqual([]);
});
