import type { Call } from './call';

/** First keys of advisory locks; the second one is the organisation. */
const LOCKS = {
  names: 38_107,
  experiments: 43_111,
  'usage-views': 52_117,
  'price-corrections': 56_123,
} as const;

/**
 * Changes of this kind of object of one organisation wait for each other until their transaction ends, so that counts
 * and names are exact. Taken before any row is locked.
 */
export async function lockOrganisation(
  db: Pick<Call, 'db'>['db'],
  what: keyof typeof LOCKS,
  organisationId: string,
): Promise<void> {
  await db.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS[what], organisationId]);
}
