import type { ResolveKeyReply } from '@tollgate/contracts/node';
import type { Pool } from 'pg';
import { resolveKeys } from './resolve-keys';

/** The same for one key, with its organisation's part in its context. */
export async function resolveKey(pool: Pool, keySha256: Buffer): Promise<ResolveKeyReply> {
  const { keys, organisations, outboxSeq } = await resolveKeys(pool, [keySha256]);
  const [key] = keys;
  if (!key?.context) return { found: false, context: null, outboxSeq };
  const { models = [], limits = [] } = organisations[0] ?? {};
  const granted = new Set(key.grantedModelIds);
  const context = {
    ...key.context,
    models: models.map((model) => ({ ...model, granted: granted.has(model.modelId ?? '') })),
    limits: [...limits, ...(key.context.limits ?? [])],
  };
  return { found: true, context, outboxSeq };
}
