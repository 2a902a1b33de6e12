import { VALUE_SCOPES, type ScopeType } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { Budget } from '../../entities/budget.entity';
import { Quota } from '../../entities/quota.entity';
import { RateLimit } from '../../entities/rate-limit.entity';

/** Deletes all limits of an object that is being deleted. */
export async function endLimitsOf(
  tx: EntityManager,
  organisationId: string,
  scopeType: ScopeType,
  scopeId: string,
): Promise<void> {
  for (const entity of [Budget, Quota, RateLimit]) {
    const types = In([scopeType, ...VALUE_SCOPES]);
    await tx.delete(entity, { organisationId, scopeType: types, scopeId });
  }
}
