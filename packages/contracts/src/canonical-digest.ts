import { createHash } from 'node:crypto';

import { canonicalJson } from './canonical-json';

/**
 * SHA-256 of a value's canonical JSON, 32 bytes. Of an MCP tool it is taken from the whole
 * definition as its server sends it, and is what pins the tool.
 *
 * @throws RangeError as `canonicalJson` does
 */
export function canonicalDigest(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest();
}
