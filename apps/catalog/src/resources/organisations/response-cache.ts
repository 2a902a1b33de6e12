import { restError, type rest } from '@tollgate/contracts';

import { Organisation } from '../../entities/organisation.entity';
import type { Call } from '../../rest/call';

/**
 * Deletes the kept answers of the organisation: edges look for those of the new generation only, so none of the
 * others is ever found, and each expires at the end of its time.
 */
export async function clearResponseCache(
  call: Call<typeof rest.clearResponseCache>,
): Promise<{ generation: number }> {
  const { db } = call;
  const id = call.params.organisationId;
  const organisation = await db.findOne(Organisation, {
    where: { id },
    lock: { mode: 'pessimistic_write' },
  });
  if (organisation === null) throw restError('not_found');
  const before = organisation.responseCacheGeneration;
  const generation = before + 1;
  await db.update(Organisation, { id }, { responseCacheGeneration: generation });
  call.changed({
    action: 'organisation.clear-response-cache',
    organisationId: id,
    target: { type: 'organisation', id },
    before: { responseCacheGeneration: before },
    after: { responseCacheGeneration: generation },
    news: [{ kind: 'ORGANISATION', organisationId: id }],
  });
  return { generation };
}
