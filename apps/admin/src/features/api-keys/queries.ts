import { rest } from '@tollgate/contracts';

/** The lists of limits that a key's page reads: as many as one page has. */
export const LIMITS_QUERY = { status: 'ACTIVE', limit: rest.PAGE_LIMIT } as const;

/** The models of a key, to count them and to find the limits that bind them. */
export const USABLE_QUERY = { limit: rest.PAGE_LIMIT } as const;

/** As many kinds of refusals as a key's page shows. */
export const REFUSALS_QUERY = { limit: 10 } as const;

/** How often the page of a key reads anew what was refused and what is left. */
export const REFRESH_MS = 5_000;
