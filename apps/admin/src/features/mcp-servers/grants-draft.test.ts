import { rest } from '@tollgate/contracts';

import { grantsDraftOf, grantsOfDraft, withRules, withServers } from './grants-draft';
import { rulesDraftOf } from './rules-draft';

const ID = '01a200b7-30ab-7031-b144-0a2f9f4d5a0';
const [first, second] = [`${ID}0`, `${ID}1`];
const narrow = { ...rest.MCP_EVERYTHING, tools: { allowed: ['read_*'], denied: ['read_secret'] } };

test('grants survive the form, and the request is valid', () => {
  const grants = [{ mcpServerId: first, ...narrow }];
  const sent = grantsOfDraft(grantsDraftOf(grants));
  expect(sent).toEqual(grants);
  expect(rest.mcpGrantsPut.safeParse({ grants: sent }).success).toBe(true);
});

test('a server that stays keeps its rules, a new one allows everything or what the user has', () => {
  const before = grantsDraftOf([{ mcpServerId: first, ...narrow }]);
  expect(grantsOfDraft(withServers(before, [first, second]))).toEqual([
    { mcpServerId: first, ...narrow },
    { mcpServerId: second, ...rest.MCP_EVERYTHING },
  ]);
  expect(grantsOfDraft(withServers([], [second], () => narrow))).toEqual([
    { mcpServerId: second, ...narrow },
  ]);
  expect(withServers(before, [])).toEqual([]);
});

test('rules are changed for one server', () => {
  const both = withServers([], [first, second]);
  expect(grantsOfDraft(withRules(both, second, rulesDraftOf(narrow)))).toEqual([
    { mcpServerId: first, ...rest.MCP_EVERYTHING },
    { mcpServerId: second, ...narrow },
  ]);
});
