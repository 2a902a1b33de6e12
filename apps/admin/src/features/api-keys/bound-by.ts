import type { rest } from '@tollgate/contracts';

type Bound = Pick<rest.Budget, 'scope' | 'status'>;

/** The limits among `limits` that every request of this key has to pass, or one for some model of it. */
export function binding<Limit extends Bound>(
  limits: readonly Limit[],
  key: Pick<rest.ApiKey, 'id' | 'organisationId' | 'teamId' | 'userId' | 'modelIds'>,
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
        return key.modelIds.includes(id);
    }
  });
}
