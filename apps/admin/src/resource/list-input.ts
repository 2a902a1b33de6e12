import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

/** Reads a query parameter of the page's URL. */
export type Get = (name: string) => string | undefined;

export type ListInput = Readonly<Record<string, string | number>>;

export const PAGE_ROWS = 25;

/**
 * The query of a list, with the number of its rows, from the page's URL: every parameter that the endpoint knows, with a valid
 * value. Others are ignored. `fixed` overrides the URL.
 */
export function listInput(endpoint: rest.Endpoint, get: Get, fixed: ListInput = {}): ListInput {
  const { query } = endpoint;
  if (!(query instanceof z.ZodObject)) throw new TypeError(`${endpoint.id} is not a list`);
  const input: Record<string, string | number> = { limit: PAGE_ROWS };
  if ('total' in query.shape) input['total'] = 'true';
  for (const [name, field] of Object.entries(query.shape)) {
    const value = get(name);
    if (value === undefined || value.trim() === '') continue;
    if (z.safeParse(field, value).success) input[name] = value;
  }
  return { ...input, ...fixed };
}

const NO_FILTERS: readonly string[] = ['limit', 'cursor', 'sort', 'total'];

/** Whether user-chosen filters restrict the list. */
export function isFiltered(input: ListInput, fixed: ListInput = {}): boolean {
  return Object.keys(input).some((name) => !NO_FILTERS.includes(name) && !(name in fixed));
}
