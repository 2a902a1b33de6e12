import { rest } from '@tollgate/contracts';
import fc from 'fast-check';

import { isWithin, storedRulesOf, wholeRulesOf, widerKind } from './mcp-rules';

const rules = (allowed: string[], denied: string[] = []) => ({ allowed, denied });

/** What the gateway lets through, spelled out. */
function allows({ allowed, denied }: rest.McpNameRules, name: string): boolean {
  const matches = (pattern: string): boolean =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  return allowed.some(matches) && !denied.some(matches);
}

it.each([
  [rules(['*']), rules(['*'])],
  [rules(['a']), rules(['a', 'b'])],
  [rules(['ab*']), rules(['a*'])],
  [rules(['ab']), rules(['a*'], ['ac*'])],
  [rules(['a*'], ['ab*']), rules(['*'], ['abc'])],
  [rules(['*'], ['*']), rules([])],
  [rules([]), rules([])],
])('%j is within %j', (inner, outer) => {
  expect(isWithin(inner, outer)).toBe(true);
});

it.each([
  [rules(['*']), rules(['a*'])],
  [rules(['a']), rules([])],
  [rules(['a*']), rules(['ab*'])],
  [rules(['a*']), rules(['a'])],
  [rules(['*']), rules(['*'], ['secret'])],
  [rules(['*'], ['secret_a']), rules(['*'], ['secret_*'])],
  [rules(['ab']), rules(['*'], ['a*'])],
])('%j is not within %j', (inner, outer) => {
  expect(isWithin(inner, outer)).toBe(false);
});

// A small alphabet, so that patterns and names often meet.
const word = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 });
const exact = word.filter((text) => text !== '');
const pattern = fc.oneof(
  exact,
  word.map((text) => `${text}*`),
);
const patterns = fc.uniqueArray(pattern, { maxLength: 3 });
const anyRules = fc.record({ allowed: patterns, denied: patterns });

test('rules that are within others never allow more', () => {
  fc.assert(
    fc.property(anyRules, anyRules, exact, (inner, outer, name) => {
      if (!isWithin(inner, outer) || !allows(inner, name)) return;
      expect(allows(outer, name)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test('rules are within themselves, and within everything', () => {
  fc.assert(
    fc.property(anyRules, (one) => {
      expect(isWithin(one, one)).toBe(true);
      expect(isWithin(one, rest.MCP_EVERYTHING.tools)).toBe(true);
    }),
  );
});

test('kinds are compared one by one, and what is absent allows everything', () => {
  const tools = rules(['read_*']);
  expect(widerKind({}, {})).toBeUndefined();
  expect(widerKind({ tools }, {})).toBeUndefined();
  expect(widerKind({}, { tools })).toBe('tools');
  expect(widerKind({ tools }, { tools, resources: tools })).toBe('resources');
});

test('kinds that allow everything are not stored, and are answered', () => {
  const tools = rules(['read_*']);
  expect(storedRulesOf({ tools, prompts: rules(['*']), resources: undefined })).toEqual({ tools });
  expect(wholeRulesOf({ tools })).toEqual({
    tools,
    prompts: rules(['*']),
    resources: rules(['*']),
  });
});
