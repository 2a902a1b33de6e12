import { API_KEY_TYPES, defaultTrust, type rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

// How many keys a limit on each value could count, and how many of them it does: only names of trusted keys count.

interface Limit {
  readonly scopeId: string;
  /** Null: the limit is not on each value. */
  readonly valueKey: string | null;
}

const rows = z.array(z.object({ id: z.string(), active: z.int(), trusted: z.int() }));

const DEFAULT_TRUST = `CASE k.type ${API_KEY_TYPES.map((type) => `WHEN '${type}' THEN '${defaultTrust(type)}'`).join(' ')} END`;

/** Each part finds its keys by an index. An organisation, a team or a key without any active key has no row. */
const COUNT = `
  SELECT s.id, count(*)::integer AS active, (count(*) FILTER (WHERE coalesce(k.trusted_attribution,
      ${DEFAULT_TRUST}) = 'HEADERS'))::integer AS trusted
  FROM (
    SELECT organisation_id AS scope_id, type, trusted_attribution FROM api_key
    WHERE organisation_id = $1 AND $1 = ANY($2::uuid[]) AND status = 'ACTIVE' AND kind = 'NORMAL'
    UNION ALL
    SELECT team_id, type, trusted_attribution FROM api_key
    WHERE team_id = ANY($2::uuid[]) AND organisation_id = $1 AND status = 'ACTIVE' AND kind = 'NORMAL'
    UNION ALL
    SELECT id, type, trusted_attribution FROM api_key
    WHERE id = ANY($2::uuid[]) AND organisation_id = $1 AND status = 'ACTIVE' AND kind = 'NORMAL'
  ) AS k JOIN unnest($2::uuid[]) AS s(id) ON s.id = k.scope_id
  GROUP BY s.id`;

/** What to add to the representation of a limit: nothing, unless it is on each value. */
export async function keysInScopeOf(
  db: EntityManager,
  organisationId: string,
  limits: readonly Limit[],
): Promise<(limit: Limit) => Pick<rest.Budget, 'keysInScope'>> {
  const scopes = [
    ...new Set(limits.filter(({ valueKey }) => valueKey !== null).map(({ scopeId }) => scopeId)),
  ];
  if (scopes.length === 0) return () => ({});
  const found = rows.parse(await db.query(COUNT, [organisationId, scopes]));
  const byScope = new Map(found.map(({ id, ...counts }) => [id, counts]));
  return ({ scopeId, valueKey }) =>
    valueKey === null ? {} : { keysInScope: byScope.get(scopeId) ?? { active: 0, trusted: 0 } };
}
