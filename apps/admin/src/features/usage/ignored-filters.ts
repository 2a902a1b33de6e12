import { ABANDONED, type FilterName, type UsageState } from './state';

const IGNORED_OF_MCP = {
  modelId: 'model',
  providerId: 'provider',
  operation: 'operation',
  region: 'region',
  endUser: 'end user',
  session: 'session',
  agentClass: 'agent class',
  tag: 'tag',
} as const satisfies Partial<Record<FilterName, string>>;

/** Filters that the list of MCP requests ignores, as words. */
export function ignoredOfMcp({ filters }: UsageState): readonly string[] {
  const names = Object.keys(IGNORED_OF_MCP) as (keyof typeof IGNORED_OF_MCP)[];
  const ignored = names.filter((name) => filters[name] !== undefined);
  const words = ignored.map((name) => IGNORED_OF_MCP[name]);
  return filters.status === ABANDONED ? [...words, 'abandoned requests'] : words;
}
