// Encryption of providers' secrets: AES-256-GCM under a key-encryption key with an id, so that keys
// can be rotated. The catalog seals, the edge opens; both read the same ring.
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';

export interface KeyRing {
  /** The key for new secrets. */
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

/** The sealed part; on the wire it also has the id of its API key and a weight. */
export interface SealedSecret {
  /** Id of the key-encryption key. */
  readonly keyId: string;
  /** 12 bytes. */
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  /** 16 bytes. */
  readonly tag: Buffer;
}

/**
 * `id:base64 of 32 bytes`, several separated by commas or lines; the first is current. Errors name
 * at most an id, never a key.
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = new Map<string, KeyObject>();
  const entries = text.trim().split(/[\s,]+/);
  for (const [index, entry] of entries.entries()) {
    const match = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/_-]{43}=?)$/.exec(entry);
    if (match === null) {
      throw new RangeError(`key ${index + 1} is not written as id:base64 of 32 bytes`);
    }
    const [, id = '', base64 = ''] = match;
    if (keys.has(id)) throw new RangeError(`two keys have the id ${id}`);
    keys.set(id, createSecretKey(Buffer.from(base64, 'base64')));
  }
  const [currentId = ''] = keys.keys();
  return { currentId, keys };
}

/** The owner of a secret: a sealed secret that is moved to another row cannot be opened. */
export function secretContext(providerId: string, apiKeyId: string): string {
  return `${providerId}:${apiKeyId}`;
}

/** The context of an MCP server's secret. */
export function mcpSecretContext(mcpServerId: string): string {
  return secretContext('mcp-server', mcpServerId);
}

/** The context that a screening service's secret is bound to. */
export function screeningSecretContext(screeningServiceId: string): string {
  return secretContext('screening-service', screeningServiceId);
}

/** The context that the secret of an export destination is bound to. */
export function exportSecretContext(exportDestinationId: string): string {
  return secretContext('export-destination', exportDestinationId);
}

/** The context of what signs a webhook of alerts, or is the URL of Slack. */
export function alertDestinationContext(destinationId: string): string {
  return secretContext('alert-destination', destinationId);
}

/** The context of the kept bodies of a request. */
export function keptBodyContext(requestId: string): string {
  return secretContext('kept-body', requestId);
}

export function sealSecret(ring: KeyRing, plaintext: string, aad: string): SealedSecret {
  return sealBytes(ring, Buffer.from(plaintext, 'utf8'), aad);
}

/** Throws if the ring lacks the key, or if the secret or its context was changed. */
export function openSecret(ring: KeyRing, sealed: SealedSecret, aad: string): string {
  return openBytes(ring, sealed, aad).toString('utf8');
}

export function sealBytes(ring: KeyRing, plain: Buffer, aad: string): SealedSecret {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ring, ring.currentId), nonce);
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { keyId: ring.currentId, nonce, ciphertext, tag: cipher.getAuthTag() };
}

/** Throws as `openSecret` does. */
export function openBytes(ring: KeyRing, sealed: SealedSecret, aad: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(ring, sealed.keyId), sealed.nonce, {
    authTagLength: 16,
  });
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(sealed.tag);
  return Buffer.concat([decipher.update(sealed.ciphertext), decipher.final()]);
}

function keyOf(ring: KeyRing, id: string): KeyObject {
  const key = ring.keys.get(id);
  if (key === undefined) throw new Error(`no key-encryption key has the id ${id}`);
  return key;
}
