import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Tokens that are known by their hash only: of refresh cookies and of the links in mail. */

const TOKEN_BYTES = 32;

export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function sha256(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

/** Whether a row that was found by a token's hash is that token's, in a time that tells nothing. */
export function isTokenOf(stored: Buffer, token: string): boolean {
  const hash = sha256(token);
  return stored.length === hash.length && timingSafeEqual(stored, hash);
}
