import { rest } from '@tollgate/contracts';

/** The organisations whose pages can be led to: as many as one page has. */
export const ORGANISATIONS_QUERY = { sort: 'name', limit: rest.PAGE_LIMIT } as const;
