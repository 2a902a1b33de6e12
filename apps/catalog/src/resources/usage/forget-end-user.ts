import { rest } from '@tollgate/contracts';

import { replaceEndUserInAlerts } from '../../alerts';
import { removeBodiesOf } from '../../bodies';
import { transactionOf } from '../../db';
import { replaceEndUserInBatches } from '../../exports';
import { replaceEndUser } from '../../ledger';
import type { Call } from '../../rest/call';

/**
 * Replaces the name of an end user in usage records, in the texts of alerts and in exports that wait for delivery, and deletes
 * the bodies that are kept of them. The audit event has no name either, or it would be kept there. Messages and exports that
 * were delivered before keep it.
 */
export async function forgetEndUser(
  call: Call<typeof rest.forgetEndUser>,
): Promise<{ records: number; more: boolean }> {
  const { db, organisation, body } = call;
  const forgotten = {
    organisationId: organisation.id,
    endUser: body.endUser,
    by: rest.FORGOTTEN,
    most: rest.FORGET_RECORDS,
  };
  const { most, by } = forgotten;
  if (body.endUser === by) return { records: 0, more: false };
  const tx = await transactionOf(db);
  // Before the records: alerts and exports that read them meanwhile wait, and read the new name.
  const alerts = await replaceEndUserInAlerts(tx, forgotten);
  const exportedRows = await replaceEndUserInBatches(tx, forgotten);
  await removeBodiesOf(db, organisation.id, body.endUser);
  const records = await replaceEndUser(db, forgotten);
  if (records + alerts + exportedRows > 0) {
    call.changed({
      action: 'usage.forget_end_user',
      organisationId: organisation.id,
      target: { type: 'organisation', id: organisation.id },
      after: { records, alerts, exportedRows },
    });
  }
  return { records, more: records === most || alerts === most };
}
