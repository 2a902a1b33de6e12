import { rest } from '@tollgate/contracts';

import type { Call } from '../../rest/call';

/**
 * Replaces the name of an end user in usage records. Nothing that is summed changes. The audit event has no name
 * either, or it would be kept there. Copies that were exported before keep it.
 */
export async function forgetEndUser(
  call: Call<typeof rest.forgetEndUser>,
): Promise<{ records: number; more: boolean }> {
  const { db, organisation, body } = call;
  const [{ count }] = await db.query<[{ count: string }]>(
    `WITH named AS (
       SELECT id FROM usage_record
       WHERE organisation_id = $1 AND end_user = $2 AND end_user <> $3 LIMIT $4
     ), changed AS (
       UPDATE usage_record r SET end_user = $3 FROM named WHERE r.id = named.id RETURNING 1
     ) SELECT count(*) AS count FROM changed`,
    [organisation.id, body.endUser, rest.FORGOTTEN, rest.FORGET_RECORDS],
  );
  const records = Number(count);
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
