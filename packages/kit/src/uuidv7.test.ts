import fc from 'fast-check';

import { uuidv7, uuidv7Floor, uuidv7Time } from './uuidv7';

const LATEST_MS = 2 ** 48 - 1;
const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('ids made one after the other sort in that order and never repeat', () => {
  const ids = Array.from({ length: 20_000 }, () => uuidv7());
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(SHAPE);
});

test('an id of a given instant carries it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LATEST_MS }), (ms) => {
      const id = uuidv7(ms);
      expect(id).toMatch(SHAPE);
      expect(uuidv7Time(id)).toBe(ms);
    }),
  );
});

test('ids of one given instant sort in the order they were made', () => {
  const ids = Array.from({ length: 2000 }, () => uuidv7(1_700_000_000_000));
  expect(ids).toEqual([...ids].sort());
});

test('the floor of an instant is at most every id of it and above every earlier id', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: LATEST_MS }), (ms) => {
      expect(uuidv7Floor(ms) <= uuidv7(ms)).toBe(true);
      expect(uuidv7Floor(ms) > uuidv7(ms - 1)).toBe(true);
      expect(uuidv7Time(uuidv7Floor(ms))).toBe(ms);
    }),
  );
});

test('what is not a version 7 id has no time', () => {
  for (const text of ['', 'abc', '00000000-0000-4000-8000-000000000000', `${uuidv7()}0`]) {
    expect(() => uuidv7Time(text)).toThrow(RangeError);
  }
});

test('what is not an instant has no id', () => {
  for (const ms of [-1, 0.5, Number.NaN, LATEST_MS + 1]) {
    expect(() => uuidv7(ms)).toThrow(RangeError);
    expect(() => uuidv7Floor(ms)).toThrow(RangeError);
  }
});
