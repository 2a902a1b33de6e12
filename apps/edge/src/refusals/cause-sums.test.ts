import { createHash } from 'node:crypto';
import type { RefusedSum } from '@tollgate/contracts/node';

import { createCauseSums, type Refused } from './cause-sums';

const LIMITS = { knownMost: 3, unknownMost: 50 };

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const refused = (values: Partial<Refused> = {}): Refused => ({
  code: 'budget_exceeded',
  keySha256: hashOf('key'),
  known: true,
  model: 'chat',
  providerId: '',
  limitId: '',
  detailsJson: '',
  requestId: '01a200b7-30ab-7031-b144-0a2f9f4d5a00',
  atMs: 1_000,
  ...values,
});

const unknown = (number: number): Refused =>
  refused({ code: 'invalid_api_key', known: false, model: '', keySha256: hashOf(String(number)) });

const totalOf = (sums: readonly RefusedSum[]): number =>
  sums.reduce((sum, { count }) => sum + Number(count), 0);

test('requests with one cause are one sum with the newest of them', () => {
  const sums = createCauseSums(LIMITS);
  sums.note(refused());
  sums.note(refused({ atMs: 3_000, requestId: 'newest', detailsJson: '{}' }));
  sums.note(refused({ model: 'other' }));
  expect(sums.take()).toMatchObject([
    { count: 2, firstAtMs: 1_000, lastAtMs: 3_000, requestId: 'newest', detailsJson: '{}' },
    { count: 1, model: 'other' },
  ]);
  expect(sums.take()).toEqual([]);
});

test('a million made-up keys take bounded room, none is lost, and the frequent key stays', () => {
  const sums = createCauseSums(LIMITS);
  const each = 1_000_000;
  // The hash is made up as well: a million digests would take longer than the promise.
  const hash = Buffer.alloc(32);
  for (let number = 0; number < each; number += 1) {
    hash.writeUInt32LE(number);
    sums.note({ ...unknown(0), keySha256: Buffer.from(hash) });
    if (number % 10 === 0) sums.note(unknown(-1));
  }
  const told = sums.take();
  expect(told.length).toBeLessThanOrEqual(LIMITS.unknownMost + 1);
  expect(totalOf(told)).toBe(each + each / 10);
  const frequent = told.find(({ keySha256 }) => hashOf('-1').equals(keySha256 as Buffer));
  expect(frequent?.count).toBeGreaterThan(50_000);
});

test('causes of known keys over the limit are counted together, by code', () => {
  const sums = createCauseSums(LIMITS);
  for (let at = 0; at < 10; at += 1) sums.note(refused({ model: `model ${at}` }));
  const told = sums.take();
  expect(told).toHaveLength(LIMITS.knownMost + 1);
  expect(told.at(-1)).toMatchObject({ other: true, code: 'budget_exceeded', count: 7 });
  expect(told.at(-1)).not.toHaveProperty('keySha256');
});

test('a flood of unknown keys takes no room from known ones', () => {
  const sums = createCauseSums(LIMITS);
  for (let number = 0; number < 500; number += 1) sums.note(unknown(number));
  sums.note(refused());
  expect(sums.take()).toContainEqual(
    expect.objectContaining({ code: 'budget_exceeded', other: false, count: 1 }),
  );
});
