// Web search by the provider: its tool, and its pair of blocks in an answer.

import type { DropList } from '../drop-list';
import { arrayOf, isObject, objectOf, present, textOf } from '../json';
import type { FoundPage, JsonObject, ToolChoice, WebSearchCall } from '../normalised';
import { WEB_SEARCH_TOOL, type WebSearchAsked } from '../web-search';
import {
  boundIn,
  domainsIn,
  encodePlace,
  optionAt,
  othersIn,
  placeIn,
} from '../web-search-options';
import type { WireTool } from './wire';

/** The tool version that every model of the vendor accepts; newer ones also run code. */
const TOOL_TYPE = 'web_search_20250305';
const ANY_VERSION = /^web_search_\d{8}$/;

const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'user_location',
]);

/** The first search of a request. */
export function decodeWebSearch(
  tools: readonly WireTool[] | null | undefined,
  choice: ToolChoice | undefined,
): WebSearchAsked | undefined {
  const list = tools ?? [];
  const at = list.findIndex((wire) => wire.type === 'unknown' && ANY_VERSION.test(wire.raw.type));
  const wire = list[at];
  if (wire?.type !== 'unknown' || choice?.mode === 'none') return undefined;
  const tool: JsonObject = wire.raw;
  const path = `tools[${at}]`;
  const isNamed = choice?.mode === 'tool' && choice.tool.name === textOf(tool['name']);
  const isOnly = choice?.mode === 'required' && list.length === 1;
  return {
    path,
    others: othersIn(tool, TOOL_FIELDS, path),
    ...present({
      maxCalls: optionAt(boundIn(tool['max_uses']), `${path}.max_uses`),
      allowedDomains: optionAt(domainsIn(tool['allowed_domains']), `${path}.allowed_domains`),
      blockedDomains: optionAt(domainsIn(tool['blocked_domains']), `${path}.blocked_domains`),
      userLocation: optionAt(placeIn(tool['user_location']), `${path}.user_location`),
      forced: optionAt(isNamed || isOnly ? true : undefined, 'tool_choice'),
    }),
  };
}

/** `maxCalls` is the held bound, used if the client set none. */
export function encodeSearchTool(
  asked: WebSearchAsked,
  maxCalls: number | undefined,
  drops: DropList,
): JsonObject {
  const { maxCalls: own, allowedDomains, blockedDomains, userLocation } = asked;
  // The vendor accepts only one of the two lists.
  const takesBlocked = allowedDomains === undefined;
  if (!takesBlocked && blockedDomains !== undefined) drops.drop(blockedDomains.path);
  return {
    type: TOOL_TYPE,
    name: WEB_SEARCH_TOOL,
    ...present({
      max_uses: own?.value ?? maxCalls,
      allowed_domains: allowedDomains?.value,
      blocked_domains: takesBlocked ? blockedDomains?.value : undefined,
      user_location: userLocation && encodePlace(userLocation.value),
    }),
  };
}

const RESULT = 'web_search_tool_result';

/** Whether a block starts a search. */
export function isSearchUse(block: JsonObject): boolean {
  return block['type'] === 'server_tool_use' && block['name'] === WEB_SEARCH_TOOL;
}

/** The search that a block is the result of; undefined for other blocks. */
export function searchIdOf(block: JsonObject): string | undefined {
  return block['type'] === RESULT ? textOf(block['tool_use_id']) : undefined;
}

export function decodeSearch(id: string, input: unknown, result: JsonObject): WebSearchCall {
  const query = textOf(objectOf(input)?.['query']);
  const { content } = result;
  const failure = isObject(content) ? (textOf(content['error_code']) ?? 'unavailable') : undefined;
  const pages = arrayOf(content).flatMap((value): FoundPage[] => {
    const page = objectOf(value) ?? {};
    const url = textOf(page['url']);
    return url === undefined ? [] : [{ url, ...present({ title: textOf(page['title']) }) }];
  });
  return { id, queries: query === undefined ? [] : [query], pages, ...present({ failure }) };
}

/** The vendor accepts only results with this seal, which only it can write. */
const SEAL = 'encrypted_content';

/** Marks searches of other providers, which the vendor refuses in a conversation. */
const FOREIGN_ID = 'srvtoolu_other_';

interface SearchBlocks {
  use: JsonObject;
  result: JsonObject;
}

/** `at` numbers the searches of one answer. */
export function encodeSearch(search: WebSearchCall, at: number): SearchBlocks {
  const toolId = `${FOREIGN_ID}${search.id.replace(/[^a-zA-Z0-9_]/g, '_')}_${at}`;
  const caller = { type: 'direct' };
  const found = search.pages.map(({ url, title }) => {
    return { type: 'web_search_result', url, title: title ?? url, [SEAL]: '', page_age: null };
  });
  const failed = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
  return {
    use: {
      type: 'server_tool_use',
      id: toolId,
      name: WEB_SEARCH_TOOL,
      input: { query: search.queries.join(', ') },
      caller,
    },
    result: {
      type: RESULT,
      tool_use_id: toolId,
      content: search.failure === undefined ? found : failed,
      caller,
    },
  };
}

/** Whether a block is half of another provider's search: its results have no seal. */
export function isForeignSearch(block: JsonObject): boolean {
  const id = isSearchUse(block) ? textOf(block['id']) : searchIdOf(block);
  return id?.startsWith(FOREIGN_ID) === true;
}
