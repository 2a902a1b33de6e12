import type { SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';

import type { ApiKey } from '../../entities/api-key.entity';
import type { Call } from '../../rest/call';
import type { SortKey } from '../../rest/paging';

// On which day a key was last used: the latest of its daily sums, one step in an index for each key. Records are not read.

const lastDayOf = (key: string): string =>
  `(SELECT max(p.starts)::date FROM usage_period p
    WHERE p.api_key_id = ${key} AND p.period = 'OWNER_DAY' AND p.owners)`;

/** Days since 1970; a key that was never used comes before all others. */
const DAY = 'coalesce(used.day, -1)';
const ALIAS = 'last_used_day';

/** For `keys` of `readPage`, after `joinLastUse`. */
export const byLastUse: SortKey<ApiKey> = { column: DAY, selected: ALIAS, holds: 'amount' };

/** Only a list that is sorted by it looks at all keys of the organisation, not only at those of the page. */
export function joinLastUse(
  rows: SelectQueryBuilder<ApiKey>,
  {
    query,
    organisation,
  }: Pick<Call, 'organisation'> & { readonly query: { sort?: string | undefined } },
): void {
  if (query.sort?.endsWith('lastUsedOn') !== true) return;
  rows
    .leftJoin(
      `(SELECT k.id AS owner, (${lastDayOf('k.id')} - DATE '1970-01-01')::numeric AS day
        FROM api_key k WHERE k.organisation_id = :lastUseOrganisation)`,
      'used',
      'used.owner = key.id',
      { lastUseOrganisation: organisation.id },
    )
    .addSelect(DAY, ALIAS);
}

/** The last days of the keys `$1`. */
export const LAST_USE = `SELECT k.id, ${lastDayOf('k.id')}::text AS day
  FROM unnest($1::uuid[]) AS k (id)`;

const dayRows = z.array(z.object({ id: z.string(), day: z.string().nullable() }));

/** The day of each of these keys, in the organisation's calendar; null: never. */
export async function lastUseOf(
  { db }: Pick<Call, 'db'>,
  ids: readonly string[],
): Promise<(id: string) => string | null> {
  const found = dayRows.parse(await db.query(LAST_USE, [ids]));
  const days = new Map(found.map(({ id, day }) => [id, day]));
  return (id) => days.get(id) ?? null;
}
