import { rest } from '@tollgate/contracts';

/** Organisations that can be linked: one page of the list. */
export const ORGANISATIONS_QUERY = { sort: 'name', limit: rest.PAGE_LIMIT } as const;
