import { rest } from '@tollgate/contracts';

/** The limits on a key's page: one page of each list. */
export const LIMITS_QUERY = { status: 'ACTIVE', limit: rest.PAGE_LIMIT } as const;

/** The models of a key, to count them and to match limits of models. */
export const USABLE_QUERY = { limit: rest.PAGE_LIMIT } as const;

/** The number of refusals on a key's page. */
export const REFUSALS_QUERY = { limit: 10 } as const;

/** How often a key's page refreshes refusals and remaining limits. */
export const REFRESH_MS = 5_000;
