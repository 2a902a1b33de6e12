import { createHash, timingSafeEqual } from 'node:crypto';

// Compares two secrets in a time that depends on neither their contents nor their lengths: both
// are hashed first, because timingSafeEqual wants equal lengths.
export function safeEqual(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
