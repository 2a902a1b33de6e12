// The gateway's own keys: `tg_` and 32 random bytes. Only the hash is stored or sent on.
import { hash, randomBytes } from 'node:crypto';

import { isIdentityDocument } from './clouds';

export interface NewApiKey {
  /** Shown once, to its creator. */
  readonly key: string;
  /** Enough to recognise the key, not to use it. */
  readonly preview: string;
  readonly sha256: Buffer;
}

export function newApiKey(): NewApiKey {
  const key = `tg_${randomBytes(32).toString('base64url')}`;
  return { key, preview: previewOf(key), sha256: hashApiKey(key) };
}

/** SHA-256, 32 bytes. A key has 256 random bits, so salt and stretching would add nothing. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/**
 * The first and last four characters of a secret, or only dots for a short one. Documents begin and end alike, so
 * one is recognised by its hash.
 */
export function previewOf(secret: string): string {
  if (isIdentityDocument(secret)) return `{…}${hash('sha256', secret.trim()).slice(0, 8)}`;
  const shown = secret.startsWith('tg_') ? 7 : 4;
  return secret.length < 24 ? '…' : `${secret.slice(0, shown)}…${secret.slice(-4)}`;
}
