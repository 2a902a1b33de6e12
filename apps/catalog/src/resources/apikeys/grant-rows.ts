import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Reads and writes a table of grants: a row for each key and each object that the key may use. */
export interface GrantRows {
  /** Ids of the granted objects by key, in order of creation. */
  readonly byKey: (
    db: EntityManager,
    apiKeyIds: readonly string[],
  ) => Promise<Map<string, string[]>>;
  /** Makes these objects the only ones that are granted to the key. */
  readonly replace: (
    tx: EntityManager,
    organisationId: string,
    apiKeyId: string,
    objectIds: readonly string[],
  ) => Promise<void>;
}

const stored = z.array(z.object({ apiKeyId: z.string(), objectId: z.string() }));

/** `table` and `column` go into the SQL as they are. */
export function createGrantRows(
  table: 'api_key_model_access' | 'api_key_mcp_access',
  column: 'model_id' | 'mcp_server_id',
): GrantRows {
  return {
    byKey: async (db, apiKeyIds) => {
      if (apiKeyIds.length === 0) return new Map();
      const rows = stored.parse(
        await db.query(
          `SELECT api_key_id AS "apiKeyId", ${column} AS "objectId" FROM ${table}
           WHERE api_key_id = ANY($1::uuid[]) ORDER BY ${column}`,
          [apiKeyIds],
        ),
      );
      const byKey = Map.groupBy(rows, ({ apiKeyId }) => apiKeyId);
      return new Map(
        [...byKey].map(([apiKeyId, own]) => [apiKeyId, own.map(({ objectId }) => objectId)]),
      );
    },
    replace: async (tx, organisationId, apiKeyId, objectIds) => {
      await tx.query(
        `DELETE FROM ${table} WHERE api_key_id = $1 AND ${column} <> ALL($2::uuid[])`,
        [apiKeyId, objectIds],
      );
      await tx.query(
        `INSERT INTO ${table} (organisation_id, api_key_id, ${column})
         SELECT $1, $2, unnest($3::uuid[]) ON CONFLICT DO NOTHING`,
        [organisationId, apiKeyId, objectIds],
      );
    },
  };
}
