import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { Model } from '../../entities/model.entity';
import { KEY_OF_SELF, mayUseModel } from './standing-model-grants';

/** Grants of single models to keys, and which models a caller may grant. */

const granted = z.array(z.object({ apiKeyId: z.string(), modelId: z.string() }));
const ids = z.array(z.object({ id: z.string() }));

/** Model ids by key, in order of creation. */
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

/** Replaces the grants of a key. */
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
 * Refuses models that do not exist or that the caller may not grant. Administrators and team
 * managers may grant any model; a user only those that their own keys or their teams' keys have.
 * Existing grants of the key may stay.
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

/** SQL: whether one of the caller's own keys, or of their teams' keys, may use the model `m`. */
export const GRANTED_TO_SELF = `EXISTS (
  SELECT FROM api_key k WHERE k.organisation_id = m.organisation_id
     AND ${KEY_OF_SELF} AND ${mayUseModel('k.id')})`;

/** Ids of the models that the caller may grant to a key. */
export async function grantableModels(
  call: Pick<Call, 'db' | 'organisation' | 'access' | 'nowMs'>,
): Promise<string[]> {
  const { db, organisation, access, nowMs } = call;
  const rows = db
    .createQueryBuilder(Model, 'm')
    .select('m.id', 'id')
    .where(`m.organisationId = :organisationId AND m.status <> 'ARCHIVED'`, {
      organisationId: organisation.id,
    })
    .orderBy('m.id');
  if (access.reach === 'self') {
    rows.andWhere(GRANTED_TO_SELF, {
      selfId: access.userId,
      selfTeamIds: [...access.teamIds],
      now: new Date(nowMs),
    });
  }
  return ids.parse(await rows.getRawMany()).map((row) => row.id);
}
