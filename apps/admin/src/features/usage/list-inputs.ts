import type { ListInput } from '../../resource/list-input';
import { asQuery } from './range';
import type { FilterName, Filters, UsageState } from './state';

// What lists of requests ask for, which have other filters than the explorer.

export const ABANDONED = 'ABANDONED';

/** The query of the list of requests, which names the result filter differently. */
export function recordsInput({
  span,
  filters,
}: UsageState): ListInput & { from: string; to: string } {
  const { status, operation: _operation, ...owners } = filters;
  return {
    ...asQuery(span),
    ...owners,
    ...(status === undefined ? {} : status === ABANDONED ? { mode: status } : { outcome: status }),
  };
}

/** The filters of the list of MCP requests, which have neither a model nor a provider. */
export const MCP_FILTERS = [
  'teamId',
  'userId',
  'apiKeyId',
  'mcpServerId',
  'status',
] as const satisfies readonly FilterName[];

/** The query of the list of MCP requests. */
export function mcpRecordsInput({
  span,
  filters,
}: UsageState): ListInput & { from: string; to: string } {
  const { status, ...owners } = onlyFilters(filters, MCP_FILTERS);
  // The list has no filter by abandoned requests.
  const outcome = status === undefined || status === ABANDONED ? {} : { outcome: status };
  return { ...asQuery(span), ...owners, ...outcome };
}

/** The active filters that a question has. */
export function onlyFilters<Name extends FilterName>(
  filters: Filters,
  known: readonly Name[],
): Pick<Filters, Name> {
  const set = known.filter((name) => filters[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, filters[name]])) as Pick<Filters, Name>;
}
