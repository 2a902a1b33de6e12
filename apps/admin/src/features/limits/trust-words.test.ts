import { madeWords, trustWords } from './trust-words';

const scope = { type: 'END_USER' as const, id: '00000000-0000-4000-8000-000000000001' };
const words = (active: number, trusted: number) =>
  trustWords({ scope, keysInScope: { active, trusted } });

test('a limit on each value says which keys it does not count', () => {
  expect(words(5, 2)).toBe('3 of 5 API keys in its scope are not trusted to name end users.');
  expect(words(5, 4)).toBe('1 of 5 API keys in its scope is not trusted to name end users.');
  expect(words(1, 0)).toBe(
    'Counts nothing: 1 of 1 API key in its scope is not trusted to name end users.',
  );
  expect(words(0, 0)).toBe('Counts nothing yet: no active API key is in its scope.');
  expect(words(3, 3)).toBeUndefined();
});

test('other limits say nothing of keys', () => {
  expect(trustWords({ scope: { ...scope, type: 'TEAM' } })).toBeUndefined();
  expect(madeWords('Budget', { scope })).toBe('Budget created.');
  expect(madeWords('Quota', { scope, keysInScope: { active: 2, trusted: 0 } })).toBe(
    'Quota created. Counts nothing: 2 of 2 API keys in its scope are not trusted to name end users.',
  );
});
