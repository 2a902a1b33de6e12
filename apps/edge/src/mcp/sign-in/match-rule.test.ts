import { matchRule } from './match-rule';

const key = (name: string): Buffer => Buffer.from(name);
const rule = (claim: string, value: string) => ({
  claim,
  value,
  keySha256: key(`${claim}=${value}`),
});

test.each([
  ['a value', rule('sub', 'a'), { sub: 'a' }, true],
  ['another value', rule('sub', 'a'), { sub: 'A' }, false],
  ['one of a list', rule('groups', 'b'), { groups: ['a', 'b'] }, true],
  ['a number', rule('level', '3'), { level: 3 }, true],
  ['a path', rule('realm.roles', 'x'), { realm: { roles: ['x'] } }, true],
  [
    'a name with dots',
    rule('https://acme.example/team', 'x'),
    { 'https://acme.example/team': 'x' },
    true,
  ],
  ['any value', rule('sub', '*'), { sub: 'z' }, true],
  ['any value of a claim that is missing', rule('team', '*'), { sub: 'z' }, false],
  ['any value of an empty list', rule('team', '*'), { team: [] }, false],
  ['an object', rule('team', '[object Object]'), { team: {} }, false],
  ['a property of every object', rule('constructor', '*'), {}, false],
  ['a verified address', rule('email', 'a@b.c'), { email: 'a@b.c', email_verified: true }, true],
  ['an address', rule('email', 'a@b.c'), { email: 'a@b.c' }, false],
  [
    'an address that says so in words',
    rule('email', '*'),
    { email: 'a@b.c', email_verified: 'true' },
    false,
  ],
])('%s', (_, one, claims, matches) => {
  expect(matchRule([one], claims) !== undefined).toBe(matches);
});

test('the first match counts', () => {
  const rules = [rule('team', 'x'), rule('sub', 'a'), rule('sub', '*')];
  expect(matchRule(rules, { sub: 'a' })?.keySha256).toEqual(key('sub=a'));
});
