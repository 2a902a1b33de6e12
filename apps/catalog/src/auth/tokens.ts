import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Tokens of refresh cookies and mailed links. Only their hash is stored. */

const TOKEN_BYTES = 32;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function sha256(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Compares the stored hash with the token's, in constant time. */
export function isTokenOf(stored: Buffer, token: string): boolean {
  const hash = sha256(token);
  return stored.length === hash.length && timingSafeEqual(stored, hash);
}
