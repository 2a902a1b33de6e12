// Removes from a server's lists what a key may not use. Pure; everything else of an answer stays as the
// server sent it, byte for byte.

export { openEvent } from './filter-event';
export {
  createListFilter,
  LIST_BYTES,
  type ListFilter,
  type ListFilterOptions,
} from './list-filter';
export { isListMethod, type ListMethod } from './lists';
export { allowsTemplate, type RuleSets } from './name-rules';
