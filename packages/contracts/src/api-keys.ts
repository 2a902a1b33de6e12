// The gateway's own keys: `tg_` and 32 random bytes. Only the hash is stored or sent on.
import { hash, randomBytes } from 'node:crypto';

export interface NewApiKey {
  /** Shown once, to its maker. */
  readonly key: string;
  /** Enough to recognise the key by, not enough to use it. */
  readonly preview: string;
  readonly sha256: Buffer;
}

export function newApiKey(): NewApiKey {
  const key = `tg_${randomBytes(32).toString('base64url')}`;
  return { key, preview: previewOf(key), sha256: hashApiKey(key) };
}

/** SHA-256, 32 bytes. The key is 256 random bits, so neither salt nor stretching would add to it. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The first and last four characters of a secret, or dots alone for one too short to show any. */
export function previewOf(secret: string): string {
  const shown = secret.startsWith('tg_') ? 7 : 4;
  return secret.length < 24 ? '…' : `${secret.slice(0, shown)}…${secret.slice(-4)}`;
}
