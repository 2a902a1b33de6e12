import { restError } from '@tollgate/contracts';
import { In } from 'typeorm';

import { RoutingPolicy } from '../../entities/routing-policy.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/** A routing policy of the organisation, or 404. Locked when `lock` is set. */
export async function findRoutingPolicy(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<RoutingPolicy> {
  const found = await call.db.findOne(RoutingPolicy, {
    where: { id, organisationId: call.organisation.id, status: In(['ACTIVE', 'DISABLED']) },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

/**
 * Throws unless the organisation has this routing policy. Locked for sharing, so that it is not
 * deleted before the key commits.
 */
export async function assertRoutingPolicy(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string | null,
): Promise<void> {
  if (id === null) return;
  const found = await call.db.findOne(RoutingPolicy, {
    where: { id, organisationId: call.organisation.id, status: In(['ACTIVE', 'DISABLED']) },
    lock: { mode: 'pessimistic_read' },
  });
  if (found === null) {
    throw invalid('routingPolicyId', 'no such routing policy in this organisation');
  }
}
