import type { EntityManager } from 'typeorm';

/** Deletes the bodies of an end user's requests; call it while their records still name the user. */
export async function removeBodiesOf(
  db: EntityManager,
  organisationId: string,
  endUser: string,
): Promise<void> {
  // A body that is being stored has seen the record with its user: it is waited for, and later ones wait.
  await db.query('SELECT 1 FROM organisation WHERE id = $1 FOR NO KEY UPDATE', [organisationId]);
  await db.query(
    `DELETE FROM kept_body b USING usage_record r
      WHERE r.id = b.id AND r.organisation_id = $1 AND r.end_user = $2`,
    [organisationId, endUser],
  );
}
