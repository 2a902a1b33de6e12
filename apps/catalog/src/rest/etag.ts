import { createHash } from 'node:crypto';

/** Fields that change without an edit; a tag that covered them would never match. */
const MOVING = new Set([
  'currentPrice',
  'delivery',
  'heldUsd',
  'held',
  'keysInScope',
  'lastLoginAt',
  'listPrice',
  'memberCount',
  'spentUsd',
  'used',
  'windowEnd',
  'windowStart',
]);

/** A strong tag of an object as it is answered. */
export function etagOf(object: unknown): string {
  const text = JSON.stringify(object, (key, value: unknown) =>
    MOVING.has(key) ? undefined : value,
  );
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}

/** If-Match by RFC 9110: a list of strong tags, or `*`. Absent means no condition. */
export function matches(header: string | undefined, object: unknown): boolean {
  if (header === undefined || header.trim() === '*') return true;
  const tag = etagOf(object);
  return header.split(',').some((one) => one.trim() === tag);
}

/** If-None-Match of a read, with weak comparison. */
export function unchanged(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}
