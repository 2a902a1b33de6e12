import type { rest } from '@tollgate/contracts';

// The server's prefetch and the component must use the same query, or the prefetch is wasted.

export const PASSES_SHOWN = 10;

/** Which passes: those of one kind of limit, or of every limit that applies to an API key. */
export interface PassesOf {
  readonly resource?: (typeof rest.SOFT_LIMIT_RESOURCES)[number];
  readonly apiKeyId?: string;
}

export function passesQuery(of: PassesOf) {
  return { ...of, limit: PASSES_SHOWN, sort: '-createdAt' } as const;
}
