import { rest } from '@tollgate/contracts';

import { nameRulesOf, rulesDraftOf, rulesOfDraft, rulesWords, ruleWords } from './rules-draft';

test('rules survive the form', () => {
  const rules = {
    tools: { allowed: ['search', 'read_*'], denied: ['read_secret'] },
    prompts: { allowed: [], denied: [] },
    resources: { allowed: ['*'], denied: ['file:///etc/*'] },
  };
  expect(rulesOfDraft(rulesDraftOf(rules))).toEqual(rules);
});

test('empty lines, spaces around patterns and repetitions are left out', () => {
  expect(nameRulesOf({ allowed: ' search \n\nsearch\nread_*', denied: '\n' })).toEqual({
    allowed: ['search', 'read_*'],
    denied: [],
  });
});

test.each([
  [{ allowed: ['*'], denied: [] }, 'All tools'],
  [{ allowed: ['*'], denied: ['delete_*'] }, 'All tools, except delete_*'],
  [{ allowed: ['search', 'read_*'], denied: [] }, 'Tools: search, read_*'],
  [{ allowed: [], denied: [] }, 'No tools'],
  [{ allowed: ['*'], denied: ['*'] }, 'No tools'],
  [{ allowed: 'a b c d e f g'.split(' '), denied: [] }, 'Tools: a, b, c, d, e and 2 more'],
])('%j: %s', (rules, words) => {
  expect(ruleWords('tools', rules)).toBe(words);
});

test('rules that restrict nothing are one sentence', () => {
  expect(rulesWords(rest.MCP_EVERYTHING)).toEqual(['All tools, prompts and resources']);
  const some = { ...rest.MCP_EVERYTHING, prompts: { allowed: [], denied: [] } };
  expect(rulesWords(some)).toEqual(['All tools', 'No prompts', 'All resources']);
});
