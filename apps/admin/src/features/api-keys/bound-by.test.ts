import { SCOPE_TYPES, type ScopeType } from '@tollgate/contracts';

import { binding } from './bound-by';

const key = {
  id: 'key',
  organisationId: 'organisation',
  teamId: 'team',
  userId: null,
  mcpServerIds: ['server-1'],
};
const usable = ['model-1', 'model-2'];
const limit = (type: ScopeType, id: string, status: 'ACTIVE' | 'DISABLED' = 'ACTIVE') => ({
  scope: { type, id },
  status,
});

test('a key is bound by the limits of all it belongs to, and of the models and MCP servers it may use', () => {
  const limits = [
    limit('ORGANISATION', 'organisation'),
    limit('TEAM', 'team'),
    limit('API_KEY', 'key'),
    limit('MODEL', 'model-2'),
    limit('MCP_SERVER', 'server-1'),
  ];
  expect(binding(limits, key, usable)).toEqual(limits);
});

test('not by those of others, nor by one that is off', () => {
  const others = SCOPE_TYPES.map((type) => limit(type, 'another'));
  expect(binding([...others, limit('TEAM', 'team', 'DISABLED')], key, usable)).toEqual([]);
});
