import { invalid } from '../../rest/field-errors';

const MAX_LIFE_MS = 10 * 366 * 24 * 3_600_000;

/** A key ends in the future, within ten years. Null: it does not end. */
export function assertExpiry(expiresAt: string | null, nowMs: number): void {
  if (expiresAt === null) return;
  const atMs = Date.parse(expiresAt);
  if (atMs <= nowMs) throw invalid('expiresAt', 'is in the past');
  if (atMs > nowMs + MAX_LIFE_MS) throw invalid('expiresAt', 'is more than ten years ahead');
}
