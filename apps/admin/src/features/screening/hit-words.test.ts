import type { ScreeningAction } from '@tollgate/contracts';

import { hitWords, periodOf, versionWords } from './hit-words';

const words = (action: ScreeningAction, found: number, requests?: number, sample = 1) =>
  hitWords({ action, found, requests, sample });

test('a rule that looks at a part of the requests says so', () => {
  expect(words('OBSERVE', 3, 50, 0.1)).toBe(
    'Would have blocked 3 of 50 requests, of which it looks at 10%',
  );
  expect(words('OBSERVE', 1, 9_000, 0.0001)).toMatch(/ looks at <0\.1%$/);
});

test('a rule that observes says what it would have done', () => {
  expect(words('OBSERVE', 14, 2_031)).toBe('Would have blocked 14 of 2,031 requests');
  expect(words('BLOCK', 1, 1)).toBe('Blocked 1 of 1 request');
});

test('without the number of all requests, or an older one, only hits are told', () => {
  expect(words('MASK', 2, undefined)).toBe('Masked texts of 2 requests');
  expect(words('MASK', 2, 1)).toBe('Masked texts of 2 requests');
});

test('a period ends with the hour', () => {
  const now = Date.parse('2026-11-26T10:20:30Z');
  expect(periodOf('24h', now)).toEqual({
    from: '2026-11-25T11:00:00.000Z',
    to: '2026-11-26T11:00:00.000Z',
  });
});

test('the newest versions are named', () => {
  const of = (version: number) => ({ version, requests: version * 10, failed: 0 });
  expect(versionWords([of(3), of(2)])).toBe('v3: 30, v2: 20');
  expect(versionWords([of(5), of(4), of(3), of(2)])).toBe('v5: 50, v4: 40, v3: 30, …');
});
