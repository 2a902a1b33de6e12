import { givesModel, modelGrantFromWire } from '@tollgate/contracts';
import type { ModelEntry, ResolveKeyReply } from '@tollgate/contracts/node';
import type { Pool } from 'pg';

import { resolveKeys } from './resolve-keys';

/**
 * Resolves one key, with its organisation's part in its context. Only callers of earlier releases ask for
 * one key; they know no regions.
 */
export async function resolveKey(
  pool: Pool,
  keySha256: Buffer,
  bodiesAllowed = true,
): Promise<ResolveKeyReply> {
  const { keys, organisations, outboxSeq } = await resolveKeys(pool, [keySha256], {
    knowsRegions: false,
    bodiesAllowed,
  });
  const [key] = keys;
  if (!key?.context) return { found: false, context: null, outboxSeq };
  const { models = [], limits = [], mcpServers = [], screening = [] } = organisations[0] ?? {};
  const granted = new Set(key.grantedModelIds);
  const standing = (key.modelGrants ?? []).map(modelGrantFromWire);
  const mayUse = ({ modelId = '', name = '', providerId = '' }: ModelEntry): boolean =>
    granted.has(modelId) || standing.some((grant) => givesModel(grant, { name, providerId }));
  const context = {
    ...key.context,
    models: models.map((model) => ({ ...model, granted: mayUse(model) })),
    mcpServers,
    screening,
    limits: [...limits, ...(key.context.limits ?? [])],
  };
  return { found: true, context, outboxSeq };
}
