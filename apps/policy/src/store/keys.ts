// Every key of a shard has the hash tag {s<n>}: a script touches one slot, and a cluster spreads
// the shards over its servers.

const tag = (shard: number): string => `{s${String(shard)}}`;

export const metaKey = (shard: number): string => `${tag(shard)}:meta`;
export const counterKey = (shard: number, limitId: string): string => `${tag(shard)}:c:${limitId}`;
export const holdKey = (shard: number, requestId: string): string => `${tag(shard)}:r:${requestId}`;
export const leasesKey = (shard: number): string => `${tag(shard)}:leases`;
export const ledgerKey = (shard: number): string => `${tag(shard)}:ledger`;
/** The upstream connections that made an organisation's responses. */
export const issuersKey = (shard: number, organisationId: string): string =>
  `${tag(shard)}:i:${organisationId}`;
export const issuersByEndKey = (shard: number, organisationId: string): string =>
  `${tag(shard)}:ie:${organisationId}`;
/** Breaker, cooldown and latency of one model at its provider. */
export const upstreamKey = (
  shard: number,
  { providerId, modelId }: { providerId: string; modelId: string },
): string => `${tag(shard)}:u:${providerId}:${modelId}`;
/** Turns of one API key under one routing policy. */
export const rotationKey = (of: { shard: number; apiKeyId: string; policyId: string }): string =>
  `${tag(of.shard)}:t:${of.apiKeyId}:${of.policyId}`;
/** Conversations of one API key under one routing policy that are not at their first candidate. */
export const movedKey = (of: { shard: number; apiKeyId: string; policyId: string }): string =>
  `${tag(of.shard)}:m:${of.apiKeyId}:${of.policyId}`;
export const endedKey = (shard: number): string => `${tag(shard)}:ended`;
/** Floats by the end of their lease. */
export const floatsKey = (shard: number): string => `${tag(shard)}:floats`;
export const floatKey = (shard: number, floatId: string): string => `${tag(shard)}:f:${floatId}`;
/** The requests of a float that had not ended at its last post. */
export const journalKey = (shard: number, floatId: string): string => `${tag(shard)}:j:${floatId}`;

/**
 * Which policy does the background work of which shard: one slot for all, separate from the money.
 */
export const OWNERS_KEY = '{policies}:owners';
export const MEMBERS_KEY = '{policies}:members';

/** The cluster slot of a key: CRC-16/XMODEM of its tag, modulo 16384. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const hashed = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    }
    crc &= 0xffff;
  }
  return crc % 16_384;
}
