import { allowsName, rest } from '@tollgate/contracts';
import fc from 'fast-check';

import { fixedBy, withAllowed } from './rule-match';

const NAMES = ['a', 'ab', 'abc', 'b', 'ba', 'c'];
const pattern = fc.constantFrom(...NAMES, ...NAMES.map((name) => `${name}*`), '*');
const patterns = fc.uniqueArray(pattern, { maxLength: 4 });
const rules = fc.record({ allowed: patterns, denied: patterns });

test('a tool that a pattern denies cannot be allowed by itself', () => {
  const denying = { allowed: ['*'], denied: ['delete_*'] };
  expect(fixedBy(denying, 'delete_all')).toBe('delete_*');
  expect(withAllowed(denying, 'delete_all', true)).toBe(denying);
});

test('a switched name has its new rule, every other name keeps its own, and the result is valid', () => {
  fc.assert(
    fc.property(rules, fc.constantFrom(...NAMES), fc.boolean(), (before, name, allow) => {
      const after = withAllowed(before, name, allow);
      if (fixedBy(before, name) === undefined) expect(allowsName(after, name)).toBe(allow);
      for (const other of NAMES.filter((candidate) => candidate !== name)) {
        expect(allowsName(after, other)).toBe(allowsName(before, other));
      }
      expect(rest.mcpNameRules.safeParse(after).success).toBe(true);
    }),
  );
});
