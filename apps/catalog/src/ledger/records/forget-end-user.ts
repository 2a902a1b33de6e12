import type { EntityManager } from 'typeorm';

/**
 * Replaces the name of an end user in at most `most` records, and returns in how many. This is the only update of a
 * record; nothing that is summed changes.
 */
export async function replaceEndUser(
  db: EntityManager,
  {
    organisationId,
    endUser,
    by,
    most,
  }: {
    organisationId: string;
    endUser: string;
    by: string;
    most: number;
  },
): Promise<number> {
  const [{ count }] = await db.query<[{ count: string }]>(
    `WITH named AS (
       SELECT id FROM usage_record
       WHERE organisation_id = $1 AND end_user = $2 AND end_user <> $3 LIMIT $4
     ), changed AS (
       UPDATE usage_record r SET end_user = $3 FROM named WHERE r.id = named.id RETURNING 1
     ) SELECT count(*) AS count FROM changed`,
    [organisationId, endUser, by, most],
  );
  return Number(count);
}
