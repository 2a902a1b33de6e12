import { rest } from '@tollgate/contracts';

/** Providers for the filter of models: one page of the list. */
export const PROVIDERS_QUERY = { sort: 'name', limit: rest.PAGE_LIMIT } as const;
