import type { rest } from '@tollgate/contracts';

type Bound = Pick<rest.Budget, 'scope' | 'status'>;

type Owned = Pick<rest.ApiKey, 'id' | 'organisationId' | 'teamId' | 'userId' | 'mcpServerIds'>;

/**
 * Filters `limits` to those that apply to every request of this key, or to its requests to one model or
 * MCP server.
 */
export function binding<Limit extends Bound>(
  limits: readonly Limit[],
  key: Owned,
  usableModelIds: readonly string[],
): readonly Limit[] {
  return limits.filter(({ scope: { type, id }, status }) => {
    if (status === 'DISABLED') return false;
    switch (type) {
      case 'ORGANISATION':
        return id === key.organisationId;
      case 'TEAM':
        return id === key.teamId;
      case 'USER':
        return id === key.userId;
      case 'API_KEY':
        return id === key.id;
      case 'MODEL':
        return usableModelIds.includes(id);
      case 'MCP_SERVER':
        return key.mcpServerIds.includes(id);
      case 'END_USER':
      case 'SESSION':
      case 'TAG':
        return [key.organisationId, key.teamId, key.id].includes(id);
    }
  });
}
