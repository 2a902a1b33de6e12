import fc from 'fast-check';

import { findExcess, syntaxPlace, type JsonLimits } from './scan';

const LIMITS: JsonLimits = { containers: 20, values: 60, fields: 10, depth: 6 };
const find = (text: string, over: Partial<JsonLimits> = {}) =>
  findExcess(Buffer.from(text), { ...LIMITS, ...over });
const listOf = (element: string, count: number): string =>
  `[${Array.from({ length: count }, () => element).join(',')}]`;

test.each([
  ['containers', `{"a":1,"messages":${listOf('[]', 30)}}`, 'messages'],
  ['values', `{"stop":${listOf('1', 70)}}`, 'stop'],
  ['fields', `{"tools":{${Array.from({ length: 11 }, (_, n) => `"f${n}":1`).join(',')}}}`, 'tools'],
  ['depth', `{"deep":${'['.repeat(8)}${']'.repeat(8)}}`, 'deep'],
  ['depth', '['.repeat(100_000), ''],
] as const)('%s beyond the limit are found, with their field', (limit, text, field) => {
  expect(find(text)).toEqual({ limit, most: LIMITS[limit], field });
});

test.each([
  ['brackets and commas in strings', `{"a":"${'[{,'.repeat(100)}"}`],
  ['escaped quotes', `{"a":"${'\\"[,'.repeat(100)}","b":"${'\\\\'.repeat(80)}"}`],
  ['a long string', `{"a":"${'x'.repeat(500)}[[[[[[[[","b":[]}`],
  ['an unfinished string', `{"a":"${'x'.repeat(500)}`],
  ['exactly the limits', listOf('[]', 19)],
])('%s pass', (_, text) => {
  expect(find(text)).toBeUndefined();
});

/** The same counts, computed from the parsed value. */
function measure(value: unknown): JsonLimits {
  const counts: JsonLimits = { containers: 0, values: 0, fields: 0, depth: 0 };
  const walk = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null) return;
    const children = Object.values(node);
    counts.containers += 1;
    counts.values += 1 + Math.max(0, children.length - 1);
    counts.depth = Math.max(counts.depth, depth);
    if (!Array.isArray(node)) counts.fields = Math.max(counts.fields, children.length);
    for (const child of children) walk(child, depth + 1);
  };
  walk(value, 1);
  return counts;
}

test('a document passes if and only if its value is within each limit', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium', stringUnit: 'grapheme' }), (text) => {
      const counts = measure(JSON.parse(text));
      expect(findExcess(Buffer.from(text), counts)).toBeUndefined();
      for (const limit of ['containers', 'values', 'depth'] as const) {
        if (counts[limit] === 0) continue;
        const tight = { ...counts, [limit]: counts[limit] - 1 };
        expect(findExcess(Buffer.from(text), tight)).toBeDefined();
      }
    }),
  );
});

// Their numbers are skipped where the document is too short for more values than are allowed.
test('what is between and behind long lists of numbers is counted', () => {
  const list = fc
    .tuple(fc.integer({ min: 0, max: 9_000 }), fc.json({ depthSize: 'small' }))
    .map(([length, json]) => [...Array.from({ length }, (_, i) => i / 7), JSON.parse(json)]);
  fc.assert(
    fc.property(fc.array(list, { maxLength: 6 }), fc.constantFrom(0, 1), (lists, indent) => {
      const text = JSON.stringify({ lists, after: { of: [[1]] } }, null, indent);
      const counts = { ...measure(JSON.parse(text)), values: text.length * 4 };
      expect(findExcess(Buffer.from(text), counts)).toBeUndefined();
      for (const limit of ['containers', 'depth'] as const) {
        const tight = { ...counts, [limit]: counts[limit] - 1 };
        expect(findExcess(Buffer.from(text), tight)).toMatchObject({ limit });
      }
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['{"model": "m", }', { position: 15, line: 1, column: 16 }],
  ['{\n"a": 1,\n}', { position: 10, line: 3, column: 1 }],
  ['{"a"', { position: 4, line: 1, column: 5 }],
])('the place of a syntax error in %j is found', (text, place) => {
  let failure: unknown;
  try {
    JSON.parse(text);
  } catch (error) {
    failure = error;
  }
  expect(syntaxPlace(text, failure)).toEqual(place);
});
