import { createHash, timingSafeEqual } from 'node:crypto';

// Compares two secrets in a time independent of their contents and lengths: both are hashed first,
// because timingSafeEqual needs equal lengths.
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
