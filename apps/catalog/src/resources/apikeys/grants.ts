import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/refusals';

/** Which models a key may use, and which ones a caller may give to keys. */

const granted = z.array(z.object({ apiKeyId: z.string(), modelId: z.string() }));
const ids = z.array(z.object({ id: z.string() }));

/** Model ids by key, in the order of the models' making. */
export async function grantsOf(
  db: EntityManager,
  apiKeyIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (apiKeyIds.length === 0) return new Map();
  const rows = granted.parse(
    await db.query(
      `SELECT api_key_id AS "apiKeyId", model_id AS "modelId" FROM api_key_model_access
       WHERE api_key_id = ANY($1::uuid[]) ORDER BY model_id`,
      [apiKeyIds],
    ),
  );
  const grants = new Map<string, string[]>();
  for (const { apiKeyId, modelId } of rows) {
    grants.set(apiKeyId, [...(grants.get(apiKeyId) ?? []), modelId]);
  }
  return grants;
}

/** Makes the grants of a key exactly these. */
export async function setGrants(
  tx: EntityManager,
  organisationId: string,
  apiKeyId: string,
  modelIds: readonly string[],
): Promise<void> {
  await tx.query(
    `DELETE FROM api_key_model_access WHERE api_key_id = $1 AND model_id <> ALL($2::uuid[])`,
    [apiKeyId, modelIds],
  );
  await tx.query(
    `INSERT INTO api_key_model_access (organisation_id, api_key_id, model_id)
     SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING`,
    [organisationId, apiKeyId, modelIds],
  );
}

/**
 * Refuses models that do not exist, and models the caller may not give. Whoever runs an
 * organisation or a team gives any model; a user only what the own keys or teams have already.
 * Grants that a key has already may stay.
 */
export async function assertGrantable(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
  modelIds: readonly string[],
  present: readonly string[] = [],
): Promise<void> {
  const added = modelIds.filter((id) => !present.includes(id));
  if (added.length === 0) return;
  const allowed = new Set(await grantableModels(call));
  const refused = modelIds.findIndex((id) => added.includes(id) && !allowed.has(id));
  if (refused === -1) return;
  const message =
    call.access.reach === 'self'
      ? 'none of your keys and teams has this model'
      : 'no such model in this organisation';
  throw invalid(`modelIds[${refused}]`, message);
}

/** Ids of the models that the caller may give to a key. */
export async function grantableModels(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
): Promise<string[]> {
  const { db, organisation, access, nowMs } = call;
  if (access.reach !== 'self') {
    const rows = await db.query(
      `SELECT id FROM model WHERE organisation_id = $1 AND status <> 'ARCHIVED'
       ORDER BY id`,
      [organisation.id],
    );
    return ids.parse(rows).map((row) => row.id);
  }
  const rows = await db.query(
    `SELECT m.id FROM model m
      WHERE m.organisation_id = $1 AND m.status <> 'ARCHIVED' AND EXISTS (
        SELECT FROM api_key_model_access a JOIN api_key k ON k.id = a.api_key_id
         WHERE a.model_id = m.id AND k.organisation_id = $1 AND k.kind = 'NORMAL'
           AND k.status = 'ACTIVE' AND (k.expires_at IS NULL OR k.expires_at > $4)
           AND (k.user_id = $2 OR (k.type = 'TEAM' AND k.team_id = ANY($3::uuid[]))))
      ORDER BY m.id`,
    [organisation.id, access.userId, access.teamIds, new Date(nowMs)],
  );
  return ids.parse(rows).map((row) => row.id);
}
