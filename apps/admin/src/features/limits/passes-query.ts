import type { rest } from '@tollgate/contracts';

// A page's server and its components ask the same question, so that what was prefetched is used.

export const PASSES_SHOWN = 10;

/** Which passes: those of one kind of limit, or of every limit that binds an API key. */
export type PassesOf = {
  readonly resource?: (typeof rest.SOFT_LIMIT_RESOURCES)[number];
  readonly apiKeyId?: string;
};

export function passesQuery(of: PassesOf) {
  return { ...of, limit: PASSES_SHOWN, sort: '-createdAt' } as const;
}
