import { inText } from './group-name';
import { ABANDONED, MCP_FILTERS } from './list-inputs';
import { FILTER_NAMES, FILTER_WORDS, type FilterName, type Filters } from './state';

/** The active filters that a question does not have, as words. */
export function ignoredBy(known: readonly FilterName[], filters: Filters): readonly string[] {
  return FILTER_NAMES.filter((name) => filters[name] !== undefined && !known.includes(name)).map(
    (name) => inText(FILTER_WORDS[name]),
  );
}

/** Filters that the list of MCP requests ignores, as words. */
export function ignoredOfMcp(filters: Filters): readonly string[] {
  const words = ignoredBy(MCP_FILTERS, filters);
  return filters.status === ABANDONED ? [...words, 'abandoned requests'] : words;
}
