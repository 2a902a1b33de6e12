import { API_KEY_TYPES, isOneOf, rest } from '@tollgate/contracts';
import type { z } from 'zod';

export type KeysQuery = z.input<typeof rest.listApiKeys.query>;

const PAGE = 25;

/** What the list asks for, by the page's address; what is no filter there is left out. */
export function keysQuery(get: (name: string) => string | undefined): KeysQuery {
  const [search, type, status, cursor] = ['search', 'type', 'status', 'cursor'].map(get);
  return {
    limit: PAGE,
    ...(search === undefined || search.trim() === '' ? {} : { search }),
    ...(isOneOf(API_KEY_TYPES, type) ? { type } : {}),
    ...(isOneOf(rest.API_KEY_STATUSES, status) ? { status } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  };
}
