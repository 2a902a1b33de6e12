import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Reads and writes grants of single models: a row for each key and each model that it may use. */

const stored = z.array(z.object({ apiKeyId: z.string(), modelId: z.string() }));

export const modelGrantRows = {
  /** Ids of the granted models by key, in order of creation. */
  byKey: async (
    db: EntityManager,
    apiKeyIds: readonly string[],
  ): Promise<Map<string, string[]>> => {
    if (apiKeyIds.length === 0) return new Map();
    const rows = stored.parse(
      await db.query(
        `SELECT api_key_id AS "apiKeyId", model_id AS "modelId" FROM api_key_model_access
         WHERE api_key_id = ANY($1::uuid[]) ORDER BY model_id`,
        [apiKeyIds],
      ),
    );
    const byKey = Map.groupBy(rows, ({ apiKeyId }) => apiKeyId);
    return new Map(
      [...byKey].map(([apiKeyId, own]) => [apiKeyId, own.map(({ modelId }) => modelId)]),
    );
  },

  /** Makes these models the only ones that are granted to the key. */
  replace: async (
    tx: EntityManager,
    organisationId: string,
    apiKeyId: string,
    modelIds: readonly string[],
  ): Promise<void> => {
    await tx.query(
      'DELETE FROM api_key_model_access WHERE api_key_id = $1 AND model_id <> ALL($2::uuid[])',
      [apiKeyId, modelIds],
    );
    await tx.query(
      `INSERT INTO api_key_model_access (organisation_id, api_key_id, model_id)
       SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING`,
      [organisationId, apiKeyId, modelIds],
    );
  },
};
