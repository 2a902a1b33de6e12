import type { rest } from '@tollgate/contracts';

import { LIVE_SHOWN, NO_ROWS, withArrived, withShown } from './live-rows';

const record = (id: string): rest.UsageRecord => ({ id }) as rest.UsageRecord;
const message = (ids: string[], more = false) => ({ data: ids.map(record), more });
const idsOf = (rows: readonly rest.UsageRecord[]): string[] => rows.map(({ id }) => id);

test('new rows come on top, each once', () => {
  let live = withArrived(NO_ROWS, message(['b', 'a']), false);
  live = withArrived(live, message(['c', 'b']), false);
  expect(idsOf(live.rows)).toEqual(['c', 'b', 'a']);
  expect(withArrived(live, message(['c']), false)).toBe(live);
});

test('rows are held back until they are asked for, and their number is told', () => {
  let live = withArrived(NO_ROWS, message(['a']), false);
  live = withArrived(live, message(['b']), true);
  live = withArrived(live, message(['d', 'c', 'b']), true);
  expect(idsOf(live.rows)).toEqual(['a']);
  expect(live.waitingCount).toBe(3);
  live = withShown(live);
  expect(idsOf(live.rows)).toEqual(['d', 'c', 'b', 'a']);
  expect(live.waitingCount).toBe(0);
  expect(withShown(live)).toBe(live);
});

test('rows that were held back are shown with the next that are not', () => {
  const live = withArrived(withArrived(NO_ROWS, message(['a']), true), message(['b']), false);
  expect(idsOf(live.rows)).toEqual(['b', 'a']);
  expect(live.waitingCount).toBe(0);
});

test('neither table nor waiting rows grow without bound, and a gap is told', () => {
  let live = NO_ROWS;
  for (let round = 0; round < 50; round += 1) {
    const ids = Array.from({ length: 90 }, (_, n) => `${String(round)}.${String(n)}`);
    live = withArrived(live, message(ids, round === 7), round % 2 === 0);
  }
  live = withArrived(live, message(Array.from({ length: 500 }, (_, n) => `x${String(n)}`)), true);
  expect(live.rows).toHaveLength(LIVE_SHOWN);
  expect(live.waiting).toHaveLength(LIVE_SHOWN);
  expect(live.waitingCount).toBe(500);
  expect(live.missed).toBe(true);
});
