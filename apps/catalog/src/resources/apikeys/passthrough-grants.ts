import { In, Not, type EntityManager } from 'typeorm';

import { Provider } from '../../entities/provider.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';

/** Which providers a key may call as they are. */

/** Those that the key has already may stay. */
export async function assertPassthroughProviders(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  wanted: readonly string[],
  present: readonly string[] = [],
): Promise<void> {
  const added = wanted.filter((id) => !present.includes(id));
  if (added.length === 0) return;
  const found = await db.find(Provider, {
    select: { id: true },
    where: { id: In(added), organisationId: organisation.id, status: Not('ARCHIVED') },
  });
  const known = new Set(found.map(({ id }) => id));
  const missing = added.find((id) => !known.has(id));
  if (missing === undefined) return;
  const at = wanted.indexOf(missing);
  throw invalid(`passthroughProviderIds[${at}]`, `there is no provider ${missing}`);
}

/** A deleted provider is granted to no key. */
export async function forgetProvider(
  db: EntityManager,
  organisationId: string,
  providerId: string,
): Promise<void> {
  await db.query(
    `UPDATE api_key SET passthrough_provider_ids = array_remove(passthrough_provider_ids, $2::uuid)
     WHERE organisation_id = $1 AND passthrough_provider_ids @> ARRAY[$2::uuid]`,
    [organisationId, providerId],
  );
}
