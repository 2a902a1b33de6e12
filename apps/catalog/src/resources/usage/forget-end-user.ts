import { rest } from '@tollgate/contracts';

import { removeBodiesOf } from '../../bodies';
import { replaceEndUser } from '../../ledger';
import type { Call } from '../../rest/call';

/**
 * Replaces the name of an end user in usage records, and deletes the bodies that are kept of them. The audit event has no name
 * either, or it would be kept there. Copies that were exported before keep it.
 */
export async function forgetEndUser(
  call: Call<typeof rest.forgetEndUser>,
): Promise<{ records: number; more: boolean }> {
  const { db, organisation, body } = call;
  await removeBodiesOf(db, organisation.id, body.endUser);
  const records = await replaceEndUser(db, {
    organisationId: organisation.id,
    endUser: body.endUser,
    by: rest.FORGOTTEN,
    most: rest.FORGET_RECORDS,
  });
  if (records > 0) {
    call.changed({
      action: 'usage.forget_end_user',
      organisationId: organisation.id,
      target: { type: 'organisation', id: organisation.id },
      after: { records },
    });
  }
  return { records, more: records === rest.FORGET_RECORDS };
}
