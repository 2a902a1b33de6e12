import fc from 'fast-check';

import {
  normalisePath,
  passthroughCost,
  pathMatches,
  patternProblem,
  ruleFor,
} from './passthrough';

const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 1_000_000_007);
const runs = { seed, numRuns: 2_000 };

test.each([
  ['/v1/voices', '/v1/voices'],
  ['/v1/%76oices/%C3%a4', '/v1/voices/%C3%A4'],
  ['/v1/a:b@c/', '/v1/a:b@c/'],
  ['/v1/models/x%3Agenerate%21%24%26%27%28%29%2A%2B%2C%3D%40', "/v1/models/x:generate!$&'()*+,=@"],
  ['/', '/'],
])('%s is sent as %s', (raw, path) => {
  expect(normalisePath(raw)).toEqual({ path });
});

test.each([
  ['', 'slash'],
  ['v1', 'slash'],
  ['https://other.example/v1', 'slash'],
  ['//other.example/v1', 'empty segment'],
  ['/v1//voices', 'empty segment'],
  ['/v1/../admin', 'dots'],
  ['/v1/%2e%2E/admin', 'dots'],
  ['/v1/.%2e/admin', 'dots'],
  ['/v1/./voices', 'dots'],
  ['/v1/..', 'dots'],
  ['/v1/..;/admin', 'character'],
  ['/v1%2fadmin', 'encoded slash'],
  ['/v1%5cadmin', 'encoded slash'],
  ['/v1%252fadmin', 'encoded slash'],
  ['/v1\\admin', 'character'],
  ['/v1/%00', 'encoded slash'],
  ['/v1/a\0b', 'character'],
  ['/v1/a%0d%0ahost:b', 'encoded slash'],
  ['/v1/%zz', 'character'],
  ['/v1/voices#x', 'character'],
  ['/v1/voices?x', 'character'],
  ['/v1/ä', 'character'],
  ['/v1/..%3B/admin', 'semicolon'],
  ['/v1/a%3Fb', 'question mark'],
  ['/v1/a%23b', 'number sign'],
  ['/v1/%C0%AE%C0%AE/admin', 'UTF-8'],
])('%s is refused: %s', (raw, problem) => {
  expect(normalisePath(raw)).toEqual({ problem: expect.stringContaining(problem) });
});

test('a path has at most 1,024 characters and 32 segments, a pattern 256 characters', () => {
  expect(normalisePath(`/${'a'.repeat(1_024)}`)).toEqual({
    problem: expect.stringContaining('longer'),
  });
  expect(normalisePath('/a'.repeat(33))).toEqual({ problem: expect.stringContaining('segments') });
  expect(patternProblem(`/${'a'.repeat(256)}`)).toContain('longer');
  expect(patternProblem(`/${'a'.repeat(255)}`)).toBeUndefined();
});

test.each([
  ['/v1/*', '/v1/voices', true],
  ['/v1/*', '/v1/voices/1', false],
  ['/v1/*', '/v1/', false],
  ['/v1/*', '/v1', false],
  ['/v1/**', '/v1/voices/1/samples', true],
  ['/v1/**', '/v1/voices/', false],
  ['/v1/', '/v1/', true],
  ['/v1/**', '/v1', false],
  ['/v1/**', '/v1/', false],
  ['/v1/**', '/v10/voices', false],
  ['/v1/voices', '/v1/voices', true],
  ['/v1/voices', '/v1/voices/', false],
  ['/v1/voices', '/v1/Voices', false],
  ['/v1/*/x', '/v1/a/x', true],
  ['/v1/*/x', '/v1/a/y', false],
])('%s matches %s: %s', (pattern, path, matches) => {
  expect(pathMatches(pattern, path)).toBe(matches);
});

test.each([
  ['/v1/**/x', 'before its end'],
  ['/v1/voice*', 'beside'],
  ['/v1/***', 'beside'],
  ['/v1/../x', 'dots'],
  ['/v1/%76oices', 'written as /v1/voices'],
  ['v1', 'slash'],
])('the pattern %s cannot be saved: %s', (pattern, problem) => {
  expect(patternProblem(pattern)).toContain(problem);
});

test('the first rule of the method counts', () => {
  const rules = [
    { method: 'POST', path: '/v1/*', at: 1 },
    { method: 'GET', path: '/v1/voices', at: 2 },
    { method: 'GET', path: '/v1/**', at: 3 },
  ];
  expect(ruleFor(rules, 'GET', '/v1/voices')?.at).toBe(2);
  expect(ruleFor(rules, 'GET', '/v1/other/x')?.at).toBe(3);
  expect(ruleFor(rules, 'DELETE', '/v1/voices')).toBeUndefined();
  expect(ruleFor([], 'GET', '/v1/voices')).toBeUndefined();
});

test('a call costs its price and its bytes, rounded up once', () => {
  const rule = {
    callNanoUsd: '1000',
    requestMegabyteNanoUsd: '3000000',
    responseMegabyteNanoUsd: '500000',
  };
  expect(passthroughCost(rule, 0, 0)).toBe(1_000n);
  expect(passthroughCost(rule, 1, 0)).toBe(1_003n);
  expect(passthroughCost(rule, 0, 1)).toBe(1_001n);
  expect(passthroughCost(rule, 1, 1)).toBe(1_004n);
  expect(passthroughCost(rule, 1_000_000, 2_000_000)).toBe(4_001_000n);
});

// As the servers that would be called read a path: WHATWG's URL resolves dots, backslashes and encoded dots.
const STRUCTURE = ['/', '//', '\\', '.', '..', '%2e', '%2E%2e', '%2f', '%5C', '%00', '%25', ';'];
const NAMES = ['v1', 'voices', 'admin', 'a', '*', '**', ':', '@', 'http:', '%76', 'ä', ' '];
const pieces = fc.constantFrom(...STRUCTURE, ...NAMES, '?', '#', '\t', '\n');
const paths = fc.array(pieces, { maxLength: 12 }).map((parts) => `/v1/${parts.join('')}`);

test(`nothing outside of a rule is called, however a server reads the path (seed ${seed})`, () => {
  fc.assert(
    fc.property(paths, (raw) => {
      const normalised = normalisePath(raw);
      if ('problem' in normalised) return;
      const { path } = normalised;
      const url = new URL(`http://provider.example/base${path}`);
      expect(url.host).toBe('provider.example');
      expect(url.pathname).toBe(`/base${path}`);
      expect(url.search + url.hash).toBe('');
      // A server that decodes the path before it splits it finds the same segments.
      const decoded = decodeURIComponent(path);
      expect(decoded.split(/[/\\]/)).toHaveLength(path.split('/').length);
      expect(decoded.split(/[/\\]/).some((segment) => /^\.{1,2}$/.test(segment))).toBe(false);
      expect(normalisePath(path)).toEqual({ path });
    }),
    runs,
  );
});

// Near the pattern, so that many match.
const near = fc.array(pieces, { maxLength: 6 }).map((parts) => `/v1/voices/${parts.join('')}`);

test(`a path that matches begins as its pattern does (seed ${seed})`, () => {
  fc.assert(
    fc.property(near, (raw) => {
      const normalised = normalisePath(raw);
      if ('problem' in normalised || !pathMatches('/v1/voices/**', normalised.path)) return;
      expect(new URL(`http://provider.example${raw}`).pathname).toMatch(/^\/v1\/voices\/./);
      expect(decodeURIComponent(normalised.path)).toMatch(/^\/v1\/voices\/./);
    }),
    runs,
  );
});
