// Web search by the provider: its tool, and its item in an answer.

import { arrayOf, isObject, objectOf, present, textOf } from '../json';
import type { FoundPage, JsonObject, WebSearchCall } from '../normalised';
import type { WebSearchAsked } from '../web-search';
import {
  boundIn,
  domainsIn,
  encodePlace,
  optionAt,
  othersIn,
  placeIn,
} from '../web-search-options';
import type { ResponsesRequest, WireReference, WireTool, WireToolChoice } from './wire';

const TOOL_TYPE = /^web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'filters',
  'user_location',
  'search_context_size',
]);
const FILTER_FIELDS: ReadonlySet<string> = new Set(['allowed_domains', 'blocked_domains']);

/** Asks for the URLs of all pages found. */
export const SOURCES = 'web_search_call.action.sources';

/** The first search of a request. */
export function decodeWebSearch(
  wire: ResponsesRequest,
  { max_tool_calls: maxCalls }: JsonObject,
): WebSearchAsked | undefined {
  const tools = wire.tools ?? [];
  const at = tools.findIndex(isSearch);
  const found = tools[at];
  const choice = wire.tool_choice;
  const allowed = isObject(choice) && choice.type === 'allowed_tools' ? choice.tools : undefined;
  const allowedAt = allowed?.findIndex(isSearch) ?? -1;
  const isForbidden = choice === 'none' || (allowed !== undefined && allowedAt === -1);
  if (found?.type !== 'unknown' || isForbidden) return undefined;
  const tool: JsonObject = found.raw;
  const path = `tools[${at}]`;
  const filters = objectOf(tool['filters']) ?? {};
  const filtersPath = `${path}.filters`;
  const include = wire.include?.indexOf(SOURCES) ?? -1;
  return {
    path,
    others: [
      ...othersIn(tool, TOOL_FIELDS, path),
      ...othersIn(filters, FILTER_FIELDS, filtersPath),
    ],
    ...present({
      maxCalls: optionAt(boundIn(maxCalls), 'max_tool_calls'),
      allowedDomains: domainsAt(filters, 'allowed_domains', filtersPath),
      blockedDomains: domainsAt(filters, 'blocked_domains', filtersPath),
      userLocation: optionAt(placeIn(tool['user_location']), `${path}.user_location`),
      contextSize: optionAt(textOf(tool['search_context_size']), `${path}.search_context_size`),
      forced: optionAt(forces(wire, tools.length) ? true : undefined, 'tool_choice'),
      allowed: optionAt(allowedAt >= 0 ? true : undefined, `tool_choice.tools[${allowedAt}]`),
      sources: optionAt(include >= 0 ? true : undefined, `include[${include}]`),
    }),
  };
}

function domainsAt(filters: JsonObject, field: string, path: string) {
  return optionAt(domainsIn(filters[field]), `${path}.${field}`);
}

function forces({ tool_choice: choice }: ResponsesRequest, tools: number): boolean {
  if (choice === 'required') return tools === 1;
  return isObject(choice) && isSearch(choice);
}

function isSearch(wire: Exclude<WireToolChoice, string> | WireReference | WireTool): boolean {
  return wire.type === 'unknown' && TOOL_TYPE.test(wire.raw.type);
}

export function encodeSearchTool(asked: WebSearchAsked): JsonObject {
  const { allowedDomains, contextSize, userLocation } = asked;
  return {
    type: 'web_search',
    ...present({
      filters: allowedDomains && { allowed_domains: allowedDomains.value },
      user_location: userLocation && encodePlace(userLocation.value),
      search_context_size: contextSize?.value,
    }),
  };
}

/** Undefined for other actions, such as opening a page, and for incomplete items. */
export function decodeSearch(item: JsonObject): WebSearchCall | undefined {
  const action = objectOf(item['action']);
  if (item['type'] !== 'web_search_call' || action?.['type'] !== 'search') return undefined;
  const many = arrayOf(action['queries']).flatMap((query) => textOf(query) ?? []);
  const one = textOf(action['query']);
  const pages = arrayOf(action['sources']).flatMap((source): FoundPage[] => {
    const url = textOf(objectOf(source)?.['url']);
    return url === undefined ? [] : [{ url }];
  });
  return {
    id: textOf(item['id']) ?? '',
    queries: many.length > 0 || one === undefined ? many : [one],
    pages,
    ...(item['status'] === 'failed' ? { failure: 'failed' } : {}),
  };
}

/** The id prefix of another provider's search, which the vendor does not know. */
export const FOREIGN_ID = 'ws_other';

/** Whether an item of a conversation is another provider's search. */
export function isForeignSearch(item: JsonObject): boolean {
  return (
    item['type'] === 'web_search_call' && textOf(item['id'])?.startsWith(`${FOREIGN_ID}_`) === true
  );
}

export function searchItem(
  id: string,
  { queries, pages, failure }: WebSearchCall,
  showsSources: boolean,
): JsonObject {
  const sources = showsSources ? { sources: pages.map(({ url }) => ({ type: 'url', url })) } : {};
  const action = { type: 'search', query: queries.join(', '), queries, ...sources };
  const status = failure === undefined ? 'completed' : 'failed';
  return { id, type: 'web_search_call', status, action };
}
