// Which of the fixed shards an organisation's counters and ledger live in.

export const SHARDS = 256;

/** FNV-1a (32 bits) of the organisation's id, modulo 256. Fixed for ever: data lies where it says. */
export function shardOf(organisationId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < organisationId.length; i += 1) {
    hash = Math.imul(hash ^ organisationId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}
