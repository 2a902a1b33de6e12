import type { Finder, Hit } from '../finder';
import { createInvisibleFinder } from './invisible-text';
import { compilePattern, createPatternFinder } from './patterns';
import { createSecretFinder } from './secrets';
import { createUrlFinder } from './urls';

function found(finder: Finder, text: string): string[] {
  const hits: Hit[] = [];
  finder.scan(text, hits);
  return hits.map(({ end, label, start }) => `${label} ${text.slice(start, end)}`);
}

const RANDOM = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6';

describe('secrets', () => {
  const secrets = createSecretFinder(0);

  test.each([
    [`OPENAI_API_KEY=sk-proj-${RANDOM}`, `API_KEY sk-proj-${RANDOM}`],
    [`it is ...sk-proj-${RANDOM}`, `API_KEY sk-proj-${RANDOM}`],
    [`old-sk-proj-${RANDOM}`, `API_KEY sk-proj-${RANDOM}`],
    ['id AKIAIOSFODNN7EXAMPLE', 'API_KEY AKIAIOSFODNN7EXAMPLE'],
    [`token: ghp_${RANDOM}`, `TOKEN ghp_${RANDOM}`],
    [`"glpat-${RANDOM}"`, `TOKEN glpat-${RANDOM}`],
    [
      'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
      'TOKEN eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    ],
    [
      'x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y',
      'PRIVATE_KEY -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
    ],
  ])('%s', (text, expected) => {
    expect(found(secrets, text)).toEqual([expected]);
  });

  test.each([
    'the sk-learn-compatible-interface-of-things',
    'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'task-1234567890123456789012345',
    'sha256-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----',
  ])('nothing in %s', (text) => {
    expect(found(secrets, text)).toEqual([]);
  });

  test('only a word that may become a secret is open', () => {
    expect(secrets.scan('use s', [])).toBe(4);
    expect(secrets.scan('use sk-abc', [])).toBe(4);
    expect(secrets.scan('use ...sk-abc', [])).toBe(7);
    expect(secrets.scan('use skill', [])).toBe(9);
    expect(secrets.scan('key -----BEGIN EC PRIVATE KEY-----\nMHc', [])).toBe(4);
  });
});

describe('URLs', () => {
  const denied = createUrlFinder({ rule: 0, mode: 'DENY', domains: ['evil.example'] });
  const allowed = createUrlFinder({ rule: 0, mode: 'ALLOW', domains: ['acme.example'] });

  test('a denied domain is found with its subdomains', () => {
    expect(found(denied, 'see https://a.evil.example/x?y=1. or http://fine.example')).toEqual([
      'URL https://a.evil.example/x?y=1',
    ]);
  });

  test('everything but the allowed domains is found', () => {
    const text = '![](https://acme.example.evil.test/?q=1) https://docs.acme.example/a';
    expect(found(allowed, text)).toEqual(['URL https://acme.example.evil.test/?q=1']);
  });

  test('the beginning of a URL is open', () => {
    expect(denied.scan('see htt', [])).toBe(4);
    expect(
      found(denied, '_https://evil.example/x_ xhttps:/evil.example http:\\\\evil.example/b'),
    ).toEqual([
      'URL https://evil.example/x_',
      'URL https:/evil.example',
      'URL http:\\\\evil.example/b',
    ]);
    expect(denied.scan('see https://a.ev', [])).toBe(4);
    expect(denied.scan('see_https:/a.ev', [])).toBe(4);
    expect(denied.scan('see the', [])).toBe(7);
  });
});

describe('invisible text', () => {
  const invisible = createInvisibleFinder(0);
  const tags = String.fromCodePoint(0xe0041, 0xe0042);

  test.each([
    ['zero\u200bwidth', 1],
    ['over\u202eride', 1],
    [`smuggled${tags}`, 1],
    ['👩\u200d💻 and ❤\ufe0f', 0],
    [`🏴${String.fromCodePoint(0xe0067, 0xe0062, 0xe0065, 0xe006e, 0xe0067, 0xe007f)}`, 0],
  ])('%j has %i', (text, count) => {
    expect(found(invisible, text)).toHaveLength(count);
  });
});

describe('patterns', () => {
  test('a pattern that would run away elsewhere is read in linear time', () => {
    const finder = createPatternFinder([{ name: 'P', pattern: '(a+)+b' }], {
      ignoreCase: false,
      rule: 0,
    });
    expect(found(finder, 'a'.repeat(5_000))).toEqual([]);
  });

  test.each([['(?=x)y'], ['(a)\\1'], ['a*'], ['(']])('%s is refused', (pattern) => {
    expect(() => compilePattern(pattern, false)).toThrow(/./);
  });
});
