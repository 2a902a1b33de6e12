// The shard of an organisation's counters and ledger.

export const SHARDS = 256;

/**
 * FNV-1a (32 bits) of the organisation's id, modulo 256. Never changes: stored data depends on it.
 */
export function shardOf(organisationId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < organisationId.length; i += 1) {
    hash = Math.imul(hash ^ organisationId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}
