import { rest } from '@tollgate/contracts';

/** The providers that models are filtered by: as many as one page has. */
export const PROVIDERS_QUERY = { sort: 'name', limit: rest.PAGE_LIMIT } as const;
