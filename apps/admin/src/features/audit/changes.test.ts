import { actionWords, fieldChanges, objectWords, pageOfTarget } from './changes';

test('only what differs is told, nested fields by their path', () => {
  expect(
    fieldChanges(
      { name: 'a', timeouts: { connectMs: 5, idleMs: 7 }, list: [1] },
      { name: 'a', timeouts: { connectMs: 6, idleMs: 7 }, list: [1, 2] },
    ),
  ).toEqual([
    { field: 'list', before: '[\n  1\n]', after: '[\n  1,\n  2\n]' },
    { field: 'timeouts.connectMs', before: '5', after: '6' },
  ]);
});

test('what was made or deleted is told whole', () => {
  expect(fieldChanges(null, { name: 'a', note: null, empty: '' })).toEqual([
    { field: 'empty', before: undefined, after: '""' },
    { field: 'name', before: undefined, after: 'a' },
    { field: 'note', before: undefined, after: 'none' },
  ]);
  expect(fieldChanges({ name: 'a' }, null)).toEqual([
    { field: 'name', before: 'a', after: undefined },
  ]);
  expect(fieldChanges(null, null)).toEqual([]);
});

test('an id is shown with its name, where that is known', () => {
  expect(fieldChanges({ teamId: 't1' }, { teamId: 't2' }, { t1: 'Research' })).toEqual([
    { field: 'teamId', before: 'Research (t1)', after: 't2' },
  ]);
});

test('an object that becomes empty or none is one change', () => {
  expect(fieldChanges({ own: {} }, { own: null })).toEqual([
    { field: 'own', before: '{}', after: 'none' },
  ]);
});

test('actions and objects are said in words', () => {
  expect(actionWords('routing-policy.create')).toBe('Routing policy: create');
  expect(actionWords('session.reuse-detected')).toBe('Session: reuse detected');
  expect(actionWords('apikey.set-mcp-servers')).toBe('API key: set MCP servers');
  expect(objectWords('apikey')).toBe('API key');
  expect(objectWords('usage_rerate')).toBe('Usage rerate');
});

test('an object leads to its page where it has one', () => {
  expect(pageOfTarget({ type: 'routing-policy', id: 'x' })).toBe('routing/x');
  expect(pageOfTarget({ type: 'budget', id: 'x' })).toBe('budgets');
  expect(pageOfTarget({ type: 'session', id: 'x' })).toBeUndefined();
});
