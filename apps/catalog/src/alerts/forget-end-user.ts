import type { Tx } from '../db';
import { lockRaising } from './raise';
import { quoted } from './words';

// The limit of an old alert may be deleted, so its scope is unknown: the name is replaced there too.
const REPLACE = `
  UPDATE alert SET text = replace(text, $2, $3) WHERE id IN (
    SELECT a.id FROM alert a
     WHERE a.organisation_id = $1 AND a.subject_type IN ('BUDGET', 'QUOTA')
       AND strpos(a.text, $2) > 0
       AND coalesce(CASE a.subject_type
         WHEN 'BUDGET' THEN (SELECT scope_type FROM budget WHERE id = a.subject_id::uuid)
         WHEN 'QUOTA' THEN (SELECT scope_type FROM quota WHERE id = a.subject_id::uuid)
       END, 'END_USER') = 'END_USER'
     LIMIT $4)`;

/**
 * Replaces the name of an end user in at most `most` alerts, and returns in how many. Messages that wait, and those that
 * are sent again, have the text of the alert.
 */
export async function replaceEndUserInAlerts(
  tx: Tx,
  {
    organisationId,
    endUser,
    by,
    most,
  }: { organisationId: string; endUser: string; by: string; most: number },
): Promise<number> {
  // Alerts that are being raised have read the records with the name: they are waited for, and later ones wait.
  await lockRaising(tx);
  const [from, to] = [quoted(endUser), quoted(by)];
  const { rowCount } = await tx.query(REPLACE, [organisationId, from, to, most]);
  return rowCount ?? 0;
}
