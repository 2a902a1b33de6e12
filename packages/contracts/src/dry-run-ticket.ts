// A ticket to try requests as an API key without knowing the key: the catalog seals its hash for an
// administrator, the edge opens it. Both have the key ring; nobody else can make or read a ticket.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import type { KeyRing } from './key-ring';

/** The header of a dry run with a ticket; it needs no key then. */
export const DRY_RUN_TICKET_HEADER = 'x-tollgate-dry-run-ticket';
export const DRY_RUN_TICKET_MS = 120_000;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const EXPIRY_BYTES = 6;
const HASH_BYTES = 32;
const BYTES = NONCE_BYTES + EXPIRY_BYTES + HASH_BYTES + TAG_BYTES;
const CHARACTERS_MAX = 256;
/** Keys for tickets are derived, so that none of them encrypts a provider's secret as well. */
const PURPOSE = 'tollgate dry run ticket';

/** The current key of the ring seals. */
export function sealDryRunTicket(
  ring: KeyRing,
  { expiresAtMs, keySha256 }: { readonly keySha256: Buffer; readonly expiresAtMs: number },
): string {
  const plain = Buffer.alloc(EXPIRY_BYTES + HASH_BYTES);
  plain.writeUIntBE(expiresAtMs, 0, EXPIRY_BYTES);
  if (keySha256.copy(plain, EXPIRY_BYTES) !== HASH_BYTES) throw new RangeError('not a hash');
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.currentId), nonce);
  const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return `${ring.currentId}~${Buffer.concat(sealed).toString('base64url')}`;
}

/** The hash of the key; undefined: the ticket is expired, changed or of another installation. */
export function openDryRunTicket(ring: KeyRing, ticket: string, nowMs: number): Buffer | undefined {
  if (ticket.length > CHARACTERS_MAX) return undefined;
  const [, keyId = '', text = ''] = /^([\w.-]+)~([\w-]+)$/.exec(ticket) ?? [];
  const bytes = Buffer.from(text, 'base64url');
  if (!ring.keys.has(keyId) || bytes.length !== BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyOf(ring, keyId), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    const plain = Buffer.concat([body, decipher.final()]);
    return plain.readUIntBE(0, EXPIRY_BYTES) > nowMs ? plain.subarray(EXPIRY_BYTES) : undefined;
  } catch {
    // Not sealed with this key, or changed. Node compares the tag in constant time.
    return undefined;
  }
}

function keyOf(ring: KeyRing, id: string): Buffer {
  const key = ring.keys.get(id);
  if (key === undefined) throw new RangeError(`the key ring has no key ${id}`);
  return Buffer.from(hkdfSync('sha256', key, '', PURPOSE, 32));
}
