// Web search by the provider: its tool, and the grounding of an answer.

import { arrayOf, objectOf, present, textOf } from '../json';
import type { FoundPage, JsonObject, ToolChoice, WebSearchCall } from '../normalised';
import type { WebSearchAsked } from '../web-search';
import { domainsIn, optionAt } from '../web-search-options';
import { spellingOf } from './names';
import type { WireTool } from './wire';

/** By the field that enables it: newer models have the first, older ones the second. */
const SWITCHES = ['googleSearch', 'googleSearchRetrieval'] as const;

/** The first search of a request. */
export function decodeWebSearch(
  tools: readonly WireTool[] | null | undefined,
  choice: ToolChoice | undefined,
): WebSearchAsked | undefined {
  if (choice?.mode === 'none') return undefined;
  for (const [at, tool] of (tools ?? []).entries()) {
    const name = SWITCHES.find((field) => objectOf(tool[field]) !== undefined);
    const wire = name && objectOf(tool[name]);
    if (wire === undefined) continue;
    const path = `tools[${at}].${name}`;
    const blocked = spellingOf(wire, 'excludeDomains');
    const others = Object.keys(wire).filter((field) => field !== blocked && wire[field] !== null);
    return {
      path,
      others: others.map((field) => `${path}.${field}`),
      ...present({ blockedDomains: optionAt(domainsIn(wire[blocked]), `${path}.${blocked}`) }),
    };
  }
  return undefined;
}

/** The vendor's developer interface has no options. */
export function encodeSearchTool(): JsonObject {
  return { googleSearch: {} };
}

/** The search that a candidate is grounded on; undefined if there is none. */
export function decodeSearch(candidate: JsonObject): WebSearchCall | undefined {
  const grounding = objectOf(candidate['groundingMetadata']) ?? {};
  const queries = arrayOf(grounding['webSearchQueries']).flatMap((query) => textOf(query) ?? []);
  if (queries.length === 0) return undefined;
  const pages = arrayOf(grounding['groundingChunks']).flatMap((chunk): FoundPage[] => {
    const web = objectOf(objectOf(chunk)?.['web']) ?? {};
    const url = textOf(web['uri']);
    return url === undefined ? [] : [{ url, ...present({ title: textOf(web['title']) }) }];
  });
  return { id: '', queries, pages };
}

/** Adds searches to the grounding, and pages found that no passage cites. */
export function withSearches(
  grounding: JsonObject,
  searches: readonly WebSearchCall[],
): JsonObject | undefined {
  const cited = arrayOf(grounding['groundingChunks']);
  if (searches.length === 0) return cited.length > 0 ? grounding : undefined;
  const known = new Set(cited.map((chunk) => objectOf(objectOf(chunk)?.['web'])?.['uri']));
  const found = searches.flatMap(({ pages }) =>
    pages.flatMap(({ url: uri, title }) => {
      if (known.has(uri)) return [];
      known.add(uri);
      return [{ web: { uri, ...present({ title }) } }];
    }),
  );
  const webSearchQueries = searches.flatMap(({ queries }) => queries);
  return { webSearchQueries, ...grounding, groundingChunks: [...cited, ...found] };
}
