import { sign } from 'jsonwebtoken';

import { parseSigningSecrets, verifyWithAny } from './signing-secrets';

const OLD = 'an old secret of thirty-two characters';
const NEW = 'a new secret, of thirty-two characters'.replace(',', ';');

test('the first of the list signs, and all verify', () => {
  const secrets = parseSigningSecrets(`${NEW}, ${OLD}`);
  expect(secrets).toEqual([NEW, OLD]);
  for (const secret of secrets) {
    expect(verifyWithAny(sign({ a: 1 }, secret), secrets, {})).toMatchObject({ a: 1 });
  }
  expect(() => verifyWithAny(sign({}, OLD), [NEW], {})).toThrow('invalid signature');
});

test.each([
  ['short', 'must have at least 32 characters'],
  [`${NEW},short`, 'must have at least 32 characters'],
  [`${NEW},`, 'must have at least 32 characters'],
  [Array.from({ length: 5 }, () => NEW).join(','), 'must name at most 4 secrets'],
])('%s is refused without being shown', (text, message) => {
  expect(() => parseSigningSecrets(text)).toThrow(message);
});
