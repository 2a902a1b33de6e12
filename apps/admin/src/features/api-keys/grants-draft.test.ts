import { grantsDraftOf, grantsOfDraft, grantWords } from './grants-draft';

const PROVIDER = '01a200b7-30ab-7031-b144-0a2f9f4d5a00';

test('what is chosen is sent, and comes back into the form as it was', () => {
  const draft = { all: true, providerIds: [PROVIDER], patterns: 'gpt-*, *-mini' };
  const grants = grantsOfDraft(draft);
  expect(grants).toEqual([
    { kind: 'ALL' },
    { kind: 'PROVIDER', providerId: PROVIDER },
    { kind: 'PATTERN', pattern: 'gpt-*' },
    { kind: 'PATTERN', pattern: '*-mini' },
  ]);
  expect(grantsDraftOf(grants)).toEqual(draft);
});

test('patterns are taken apart at commas, spaces and lines, each once', () => {
  const draft = { all: false, providerIds: [], patterns: ' a*,b*  a*\n,, c ' };
  expect(grantsOfDraft(draft)).toEqual(
    ['a*', 'b*', 'c'].map((pattern) => ({ kind: 'PATTERN', pattern })),
  );
});

test('a key is said to have nothing only where it has nothing', () => {
  expect(grantWords({ modelIds: [], modelGrants: [] })).toBeUndefined();
  expect(grantWords({ modelIds: [PROVIDER], modelGrants: [{ kind: 'ALL' }] })).toBe('All models');
  expect(
    grantWords({
      modelIds: [PROVIDER],
      modelGrants: [
        { kind: 'PROVIDER', providerId: PROVIDER },
        { kind: 'PATTERN', pattern: 'a*' },
        { kind: 'PATTERN', pattern: 'b*' },
      ],
    }),
  ).toBe('1 provider, 2 patterns, 1 model');
});
