import { stepHere } from './refusal';

test('a limit leads to where it is raised', () => {
  expect(stepHere('budget_exceeded')?.page?.path).toBe('budgets');
  expect(stepHere('rate_limit_exceeded')?.page?.path).toBe('quotas');
});

test('what is said of a key of an application is not said of the playground’s', () => {
  expect(stepHere('model_access_denied')?.words).not.toContain('edit the key');
});

test('other codes have the words that a key’s page has; unknown ones have none', () => {
  expect(stepHere('provider_auth_failed')?.page?.path).toBe('providers');
  expect(stepHere('toString')).toBeUndefined();
});

test('a refused tool leads to the MCP servers, in words for whoever uses the playground', () => {
  for (const code of ['mcp_access_denied', 'mcp_tool_changed']) {
    expect(stepHere(code)?.page?.path).toBe('mcp-servers');
    expect(stepHere(code)?.words).not.toContain('this key');
  }
  expect(stepHere('rpc_error')?.words).toContain('arguments');
});
