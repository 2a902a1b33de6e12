import { SHAPES } from './bodies';
import { seenIn, type Seen } from './client';
import { INPUTS, SHORT } from './inputs';
import { LIMITS, MIB, PATIENT_LIMITS } from './limits';
import { answersText } from './report';
import { judge, type Measured } from './row';
import { HOSTILE_ANSWERS } from './upstream';

// The parts of `npm run abuse`, without a gateway: they detect every breach.

const GOOD: Measured = {
  name: 'an input',
  answers: [{ status: 401, code: 'invalid_api_key', ms: 3, retryAfter: false }],
  others: { asked: 100, failed: 0, p50Ms: 4, p99Ms: 20, longestMs: 30, healthMs: 5 },
  blockedMs: 30,
  lagMs: 12,
  memoryBytes: 150 * MIB,
  ended: [],
  seconds: 2,
};

test('a row within the limits has no breach', () => {
  expect(judge(GOOD, LIMITS)).toEqual([]);
  expect(judge({ ...GOOD, memoryBytes: undefined, lagMs: undefined }, LIMITS)).toEqual([]);
});

test.each<[string, Partial<Measured>, RegExp]>([
  ['slow', { others: { ...GOOD.others, p99Ms: 251 } }, /waited 251 ms/],
  ['refused', { others: { ...GOOD.others, failed: 2, p99Ms: Infinity } }, /2 of 100 requests/],
  ['not asking', { others: { ...GOOD.others, asked: 0, p99Ms: Number.NaN } }, /only 0 other/],
  ['large', { memoryBytes: 401 * MIB }, /took 401 MiB/],
  ['dead', { ended: ['edge-1'] }, /edge-1 ended/],
  [
    'told nothing',
    { answers: [{ status: 503, code: '', ms: 1, retryAfter: false }] },
    /1 × 503 without Retry-After/,
  ],
  ['broken', { answers: [{ status: 500, code: '', ms: 1, retryAfter: false }] }, /1 × 500/],
])('a row is a breach if others are %s', (_, over, breach) => {
  expect(judge({ ...GOOD, ...over }, LIMITS)).toEqual([expect.stringMatching(breach)]);
});

test('a problem found by an input is a breach too', () => {
  expect(judge(GOOD, PATIENT_LIMITS, ['20 MiB were in UPLOAD_DIR'])).toEqual([
    '20 MiB were in UPLOAD_DIR',
  ]);
});

test.each(SHAPES.map((shape) => [shape.name, shape] as const))(
  '%s is JSON of the size that was asked for',
  (_, { body }) => {
    const bytes = body(64 * 1024);
    expect(() => JSON.parse(bytes.toString('utf8')) as unknown).not.toThrow();
    expect(bytes.length).toBeLessThanOrEqual(64 * 1024);
    expect(bytes.length).toBeGreaterThan(64 * 1024 - 64);
  },
);

test('every input and every hostile answer has its own name', () => {
  const names = [...INPUTS, ...HOSTILE_ANSWERS].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('continuous integration runs existing inputs', () => {
  const names = INPUTS.map(({ name }) => name);
  expect(SHORT.filter((name) => !names.includes(name))).toEqual([]);
});

test('answers are parsed from the bytes of the connection', () => {
  const refused =
    'HTTP/1.1 401 Unauthorized\r\nretry-after: 3\r\n\r\n{"error":{"code":"invalid_api_key"}}';
  expect(seenIn(`HTTP/1.1 100 Continue\r\n\r\n${refused}${refused}`, 5, 'closed')).toEqual([
    { status: 401, code: 'invalid_api_key', ms: 5, retryAfter: true },
    { status: 401, code: 'invalid_api_key', ms: 5, retryAfter: true },
  ]);
  expect(seenIn('', 5, 'ECONNRESET')).toEqual([
    { status: 0, code: 'ECONNRESET', ms: 5, retryAfter: false },
  ]);
});

test('equal answers are one entry of the table', () => {
  const seen = (status: number, ms: number): Seen => ({ status, code: '', ms, retryAfter: false });
  expect(answersText([seen(401, 2), seen(401, 9), seen(0, 4)])).toBe('2 × 401 9 ms, none 4 ms');
});
