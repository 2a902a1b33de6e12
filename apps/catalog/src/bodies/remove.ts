import type { EntityManager } from 'typeorm';

/** Deletes the bodies of an end user's requests; call it while their records still name the user. */
export async function removeBodiesOf(
  db: EntityManager,
  organisationId: string,
  endUser: string,
): Promise<void> {
  await db.query(
    `DELETE FROM kept_body b USING usage_record r
      WHERE r.id = b.id AND r.organisation_id = $1 AND r.end_user = $2`,
    [organisationId, endUser],
  );
}
