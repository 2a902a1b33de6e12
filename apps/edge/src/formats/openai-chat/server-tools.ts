// Server tools of a chat request and their counts in an answer. The vendor's own models search the
// web by `web_search_options`; other servers have switches of their own.

import { countOf, isObject, objectOf, textOf } from '../json';
import type { NormalisedRequest, ReportedUnits } from '../normalised';
import { eachTool, ROWS, serverTools, type ServerTool } from '../server-tools';

const SEARCH = 'web_search_options';
const SWITCHES = [SEARCH, 'search_parameters', 'plugins'] as const;
const CLIENTS: ReadonlySet<string> = new Set(['function', 'custom']);
const WEB_SEARCH = /^(?:\w+:)?web_search/;

export function serverToolsOf({ raw }: NormalisedRequest): ServerTool[] {
  const tools = eachTool(raw['tools'], (tool, param) => {
    const type = textOf(tool['type']) ?? 'function';
    if (CLIENTS.has(type)) return [];
    return serverTools(WEB_SEARCH.test(type) ? ROWS.webSearch : ROWS.unknown, param);
  });
  const switched = SWITCHES.filter((field) => isOn(raw[field]));
  return [...tools, ...switched.flatMap((field) => serverTools(ROWS.webSearch, field))];
}

function isOn(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return value['mode'] !== 'off';
  // Not the vendor's shape, but a server that accepts it searches.
  return value !== undefined && value !== null && value !== false;
}

/** Whether every answer is billed for a search, even without a count. */
export function alwaysSearches({ format, raw }: NormalisedRequest): boolean {
  return format === 'openai-chat' && isOn(raw[SEARCH]);
}

/** The format has no count; servers that report one spell it in one of these ways. */
export function countCalls(usage: unknown): ReportedUnits {
  const fields = objectOf(usage) ?? {};
  const details = objectOf(fields['server_tool_use']);
  const searches =
    countOf(details?.['web_search_requests']) ?? countOf(fields['num_search_queries']) ?? 0;
  return { web_search: searches };
}
