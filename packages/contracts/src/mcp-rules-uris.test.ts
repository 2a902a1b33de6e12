import fc from 'fast-check';

import { allAllow, mayAllowUri, type NameRules } from './mcp-rules';
import { prefixReadings, uriReadings } from './mcp-rules-uris';

const rules = (allowed: string[], denied: string[] = []): NameRules => ({ allowed, denied });
const allows = (resources: NameRules, uri: string): boolean =>
  allAllow([{ resources }], 'resources', uri);

test.each([
  'file:///secret/a',
  'File:///secret/a',
  'file:/secret/a',
  'file://localhost/secret/a',
  'file:///public/../secret/a',
  'file:///public/%2e%2e/secret/a',
  'file:///public/..%2fsecret/a',
  'file:///public%2F..%2Fsecret/a',
  'file:///%73ecret/a',
  'file:///se\tcret/a',
  'file:///sec\nret/a',
  ' file:///secret/a',
  'file:\\\\\\secret\\a',
  'file:////secret/a',
  'file:///./secret//a',
  'file:///secret%2f%ff%2f..%2fa',
])('no spelling reaches what is denied, nor what is not allowed: %j', (uri) => {
  expect(allows(rules(['*'], ['file:///secret/*']), uri)).toBe(false);
  expect(allows(rules(['file:///public/*']), uri)).toBe(false);
  // Nor does the spelling of the rule matter.
  expect(allows(rules(['*'], ['FILE:///%73ecret/*']), uri)).toBe(false);
});

test.each([
  [rules(['*'], ['docs://h/secret']), 'docs://h/public/%2e%2e/secret', false],
  [rules(['*'], ['docs://h/secret']), 'DOCS://h/secret', false],
  [rules(['*'], ['docs://h/secret']), 'docs://h/secrets', true],
  // One reading that is denied is enough, whatever the further ones are.
  [rules(['*'], ['file:///secret/*']), 'FILE:///secret/..%2fpublic/a', false],
  // What is written as the rule is stays allowed, though a server reads it in another spelling.
  [rules(['https://example.com']), 'https://example.com', true],
  [rules(['https://example.com*']), 'https://example.com/a', true],
  [rules(['file:///Büro/*']), 'file:///Büro/Plan A', true],
  [rules(['file:///my%20files/*']), 'file:///my%20files/a', true],
  [rules(['file:*']), 'file://host/a', true],
  [rules(['note*']), 'note 1', true],
  [rules(['test://static-*']), 'test://static-text', true],
  // Equivalent is not allowed where it is written otherwise.
  [rules(['docs://h/a%2fb']), 'docs://h/a/b', false],
  [rules(['file:///public/.*']), 'file:///public/.hidden', true],
  [rules(['file:///public/.*']), 'file:///public/.a/../open', false],
  [rules([]), 'file:///a', false],
])('%j: %s is %s', (own, uri, expected) => {
  expect(allows(own, uri)).toBe(expected);
});

test.each([
  [rules(['*'], ['file:///secret/*']), 'File:///secret/', false],
  [rules(['*'], ['file:///secret/*']), 'file:///public/%2e%2e/secret/', false],
  [rules(['file:///public/*']), 'file:///public/../secret/', false],
  [rules(['file:///public/*']), 'file:///', true],
  [rules(['file:///public/a']), 'file:///public/', true],
])('%j: a template that begins with %s is %s', (own, prefix, expected) => {
  expect(mayAllowUri(own, prefix)).toBe(expected);
});

test('names of tools and prompts are compared as they are', () => {
  const tools = rules(['*'], ['a/../b']);
  expect(allAllow([{ tools }], 'tools', 'b')).toBe(true);
  expect(allAllow([{ tools }], 'tools', 'a/../b')).toBe(false);
});

const segment = fc.stringMatching(/^[A-Za-z0-9 ._~%ü-]{1,6}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const origin = fc.constantFrom('file:///', 'File:///', 'docs://Host/', 'https://Example.com/', '');

test('rules allow a URI no more than its text alone does', () => {
  fc.assert(
    fc.property(origin, path, origin, path, fc.boolean(), (from, uri, to, text, isPrefix) => {
      const pattern = to + text + (isPrefix ? '*' : '');
      const isMatch = isPrefix ? (from + uri).startsWith(to + text) : from + uri === to + text;
      if (!isMatch) expect(allows(rules([pattern]), from + uri)).toBe(false);
      else expect(allows(rules(['*'], [pattern]), from + uri)).toBe(false);
      // An exact pattern still allows its own text.
      expect(allows(rules([from + uri]), from + uri)).toBe(true);
    }),
  );
});

test('a beginning is read as the beginning of each URI that goes on with a plain segment', () => {
  const plain = fc.stringMatching(/^[a-z]{1,6}$/);
  fc.assert(
    fc.property(
      origin,
      fc.stringMatching(/^[A-Za-z0-9 /._~ü-]{0,12}$/),
      plain,
      (from, text, rest) => {
        const readings = uriReadings(from + text + rest);
        for (const [way, reading] of prefixReadings(from + text).entries()) {
          expect(readings[way]).toBe(reading + rest);
        }
      },
    ),
  );
});
