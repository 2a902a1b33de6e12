import { restError } from '@tollgate/contracts';
import { In } from 'typeorm';

import { Model } from '../../entities/model.entity';
import type { Call } from '../../rest/call';

/** A model of the organisation, or 404. Locked when `lock` is set. */
export async function findModel(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<Model> {
  const found = await call.db.findOne(Model, {
    where: { id, organisationId: call.organisation.id, status: In(['ACTIVE', 'DISABLED']) },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}
