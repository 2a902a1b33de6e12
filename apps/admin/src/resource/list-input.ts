import type { rest } from '@tollgate/contracts';
import { z } from 'zod';

/** Reads one name of the page's address. */
export type Get = (name: string) => string | undefined;

export type ListInput = Readonly<Record<string, string | number>>;

export const PAGE_ROWS = 25;

/**
 * What a list asks the catalog for, by the page's address: every name that the endpoint's query
 * knows, with a value that it takes. Anything else in the address is not the list's, or was mistyped,
 * and is left out. `fixed` is what the page itself asks for, whatever the address says.
 */
export function listInput(endpoint: rest.Endpoint, get: Get, fixed: ListInput = {}): ListInput {
  const { query } = endpoint;
  if (!(query instanceof z.ZodObject)) throw new TypeError(`${endpoint.id} is not a list`);
  const input: Record<string, string | number> = { limit: PAGE_ROWS };
  for (const [name, field] of Object.entries(query.shape)) {
    const value = get(name);
    if (value === undefined || value.trim() === '') continue;
    if (z.safeParse(field, value).success) input[name] = value;
  }
  return { ...input, ...fixed };
}

const NO_FILTERS: readonly string[] = ['limit', 'cursor', 'sort'];

/** Whether the list shows less than there is because somebody asked for less. */
export function isFiltered(input: ListInput, fixed: ListInput = {}): boolean {
  return Object.keys(input).some((name) => !NO_FILTERS.includes(name) && !(name in fixed));
}
