import { isValueScope, type rest } from '@tollgate/contracts';

import { tagValueOf } from '../../ledger/records/tag-value';
import type { Call } from '../../rest/call';

interface Named {
  readonly passId: string;
  readonly value: string | null;
  readonly tagKey: string | null;
}

/** A limit is in one of three tables; only its kind says which. */
const TAG_KEY = `coalesce((SELECT tag_key FROM budget WHERE id = p.limit_id AND organisation_id = $1),
  (SELECT tag_key FROM quota WHERE id = p.limit_id AND organisation_id = $1),
  (SELECT tag_key FROM rate_limit WHERE id = p.limit_id AND organisation_id = $1))`;

const NAMES = `SELECT p.id AS "passId", k.tag_key AS "tagKey",
    nullif(CASE p.scope_type WHEN 'END_USER' THEN u.end_user WHEN 'SESSION' THEN u.session
      ELSE ${tagValueOf('u.tags', 'k.tag_key')} END, '') AS value
  FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) AS p(id, limit_id, request_id, scope_type)
  CROSS JOIN LATERAL (SELECT ${TAG_KEY} AS tag_key) AS k
  LEFT JOIN usage_record u ON u.id = p.request_id AND u.organisation_id = $1`;

/**
 * Names the values that passed limits on each value. The names come from the records of the requests, so that no
 * second place knows them: who is forgotten there, or removed by retention, is nowhere named (decision 116).
 */
export async function withValues(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  passes: readonly rest.SoftLimitPass[],
): Promise<rest.SoftLimitPass[]> {
  const valued = passes.filter(({ scope }) => isValueScope(scope.type));
  if (valued.length === 0) return [...passes];
  const rows = await db.query<Named[]>(NAMES, [
    organisation.id,
    valued.map(({ id }) => id),
    valued.map(({ limitId }) => limitId),
    valued.map(({ requestId }) => requestId),
    valued.map(({ scope }) => scope.type),
  ]);
  const names = new Map(rows.map((row) => [row.passId, row]));
  return passes.map((pass) => {
    const named = names.get(pass.id);
    if (named === undefined) return pass;
    const { value, tagKey } = named;
    return { ...pass, value, scope: tagKey === null ? pass.scope : { ...pass.scope, tagKey } };
  });
}
