// Two requests have one name if and only if they mean the same.

import fc from 'fast-check';

import type { FormatName, JsonObject } from '../formats';
import { parseJson } from '../formats/json';
import { canonicalBody } from './canonical';
import { cacheKey, type KeyParts } from './key';

const MOST = 100_000;
const secrets = { name: Buffer.alloc(32, 1) };

const json = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.string({ maxLength: 6 }), tie('value'), { maxKeys: 4 }),
}));
const body = json.object as fc.Arbitrary<JsonObject>;

/** The same document, with the fields of every object in another order and other spaces. */
function shuffled(value: unknown, random: () => number): string {
  const space = ' '.repeat(Math.floor(random() * 3));
  if (Array.isArray(value)) {
    return `[${value.map((one) => space + shuffled(one, random)).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, one]) =>
      [random(), `${space}${JSON.stringify(name)}:${shuffled(one, random)}`] as const,
  );
  return `{${fields
    .toSorted(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join(',')}}`;
}

const canonical = (given: unknown, format: FormatName = 'openai-responses') =>
  canonicalBody(format, given as JsonObject, MOST);

test('order and spaces change nothing', () => {
  fc.assert(
    fc.property(
      body,
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (one, draws) => {
        const again = parseJson(shuffled(one, () => draws.next().value ?? 0));
        expect(canonical(again)).toBe(canonical(parseJson(JSON.stringify(one))));
      },
    ),
  );
});

test('everything else is another request', () => {
  fc.assert(
    fc.property(body, body, (one, other) => {
      // What JSON.stringify writes of sorted documents says whether they are equal.
      const equal = reference(one) === reference(other);
      expect(canonical(one) === canonical(other)).toBe(equal);
    }),
  );
});

function reference(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))
      : one,
  );
}

test('the text is the document: it parses to what was given', () => {
  fc.assert(
    fc.property(body, (one) => {
      const text = canonical(one) ?? '';
      expect(canonical(parseJson(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
    }),
  );
});

const WITHOUT_MEANING: readonly [FormatName, readonly string[]][] = [
  [
    'openai-chat',
    ['metadata', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'user'],
  ],
  [
    'unified',
    ['metadata', 'prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'user'],
  ],
  ['anthropic-messages', ['metadata']],
];
const ALL_FORMATS: readonly FormatName[] = [
  'anthropic-messages',
  'gemini-generate',
  'gemini-generate-array',
  'openai-chat',
  'openai-responses',
  'unified',
];

test.each(ALL_FORMATS)('%s: only the documented fields change nothing', (format) => {
  const free = new Set(WITHOUT_MEANING.find(([name]) => name === format)?.[1]);
  const names = fc.constantFrom(
    'user',
    'metadata',
    'safety_identifier',
    'prompt_cache_key',
    'seed',
  );
  fc.assert(
    fc.property(body, names, fc.string({ minLength: 1 }), (one, name, value) => {
      const { [name]: _before, ...rest } = one;
      const changed = canonical({ ...rest, [name]: value }, format);
      expect(changed === canonical(rest, format)).toBe(free.has(name));
      // Below the top, every field counts.
      const nested = (inner: object) => canonical({ input: inner }, format);
      expect(nested({ [name]: value })).not.toBe(nested({}));
    }),
  );
});

test('whole numbers beyond those of JavaScript keep their digits', () => {
  const one = canonical(parseJson('{"seed":12345678901234567890}'));
  const next = canonical(parseJson('{"seed":12345678901234567891}'));
  expect(one).toBe('{"seed":12345678901234567890}');
  expect(one).not.toBe(next);
  expect(canonical(parseJson('{"t":1.0}'))).toBe(canonical(parseJson('{"t":1}')));
});

test('a body beyond the bound has no name', () => {
  const long = { input: ['x'.repeat(50), { deep: 'y'.repeat(60) }] };
  expect(canonicalBody('openai-chat', long, 100)).toBeUndefined();
  expect(canonicalBody('openai-chat', long, 1_000)).toBeDefined();
  const wide = { input: Array.from({ length: 1_000 }, () => []) };
  expect(canonicalBody('openai-chat', wide, 100)).toBeUndefined();
});

const parts: KeyParts = {
  organisationId: 'organisation-1',
  generation: 0,
  format: 'openai-chat',
  operation: 'chat',
  route: '/v1/chat/completions',
  model: 'house-model',
  arm: '',
  stream: false,
  headers: [['openai-beta', 'a']],
  screening: [['policy-1', 1]],
  body: '{"model":"house-model"}',
};

test.each<[keyof KeyParts, Partial<KeyParts>]>([
  ['organisationId', { organisationId: 'organisation-2' }],
  ['generation', { generation: 1 }],
  ['format', { format: 'unified' }],
  ['operation', { operation: 'completions' }],
  ['route', { route: '/v1/vllm/chat/completions' }],
  ['model', { model: 'other-model' }],
  ['arm', { arm: 'e-1/candidate' }],
  ['stream', { stream: true }],
  ['headers', { headers: [['openai-beta', 'b']] }],
  ['screening', { screening: [['policy-1', 2]] }],
  ['body', { body: '{}' }],
])('%s is part of the name', (_, change) => {
  expect(cacheKey(secrets, { ...parts, ...change })).not.toBe(cacheKey(secrets, parts));
});

test('names of two installations differ, and the order of headers and policies does not count', () => {
  expect(cacheKey({ name: Buffer.alloc(32, 2) }, parts)).not.toBe(cacheKey(secrets, parts));
  const two: Partial<KeyParts> = {
    headers: [
      ['a', '1'],
      ['b', '2'],
    ],
    screening: [
      ['p', 1],
      ['q', 2],
    ],
  };
  const turned: Partial<KeyParts> = {
    headers: two.headers?.toReversed() ?? [],
    screening: two.screening?.toReversed() ?? [],
  };
  expect(cacheKey(secrets, { ...parts, ...turned })).toBe(cacheKey(secrets, { ...parts, ...two }));
});
