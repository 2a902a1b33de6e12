import type { rest } from '@tollgate/contracts';
import type { z } from 'zod';

const PAGE = 25;

/** What the list asks for, by the page's address. */
export function organisationsQuery(
  get: (name: string) => string | undefined,
): z.input<typeof rest.listOrganisations.query> {
  const [search, cursor] = ['search', 'cursor'].map(get);
  return {
    limit: PAGE,
    sort: 'name',
    ...(search === undefined || search.trim() === '' ? {} : { search }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** The newest organisations and changes, for the platform's dashboard. */
export const NEWEST = { limit: 8, sort: '-createdAt' } as const;
