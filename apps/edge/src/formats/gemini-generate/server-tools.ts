// Tools of this format that the provider runs. None of them can be bounded by a request.

import { arrayOf, isObject, objectOf } from '../json';
import type { JsonObject, NormalisedRequest, ReportedUnits } from '../normalised';
import { eachTool, ROWS, serverTools, type ServerTool, type ToolRow } from '../server-tools';
import { camelFields, fieldOf } from './names';

/** By the field that switches it on; what is not here is not known. */
const TOOLS: Readonly<Record<string, readonly ToolRow[]>> = {
  functionDeclarations: ROWS.none,
  computerUse: ROWS.none,
  googleSearch: ROWS.webSearch,
  googleSearchRetrieval: ROWS.webSearch,
  enterpriseWebSearch: ROWS.webSearch,
  googleMaps: ROWS.mapsSearch,
  codeExecution: ROWS.output,
  fileSearch: ROWS.freeFileSearch,
  urlContext: ROWS.page,
};

export function serverToolsOf({ raw }: NormalisedRequest): ServerTool[] {
  const { tools } = raw;
  const found = eachTool(isObject(tools) ? [tools] : tools, (tool, param) =>
    Object.entries(camelFields(tool)).flatMap(([name, value]) => {
      if (value === null || value === undefined) return [];
      const rows = Object.hasOwn(TOOLS, name) ? (TOOLS[name] ?? ROWS.unknown) : ROWS.unknown;
      return serverTools(rows, `${param}.${name}`);
    }),
  );
  const cached = fieldOf(raw, 'cachedContent');
  // Tools may have been put into the cache.
  return cached ? [...found, ...serverTools(ROWS.kept, 'cachedContent')] : found;
}

const BILLS_ANSWERS = /gemini-[12]\b/;

/**
 * Searches of the web and of maps that an answer, or what has come of it, is grounded on. The vendor
 * bills each query from its third generation on, and before that an answer, however often it searched.
 * Of maps it shows no queries: an answer that cites one counts as one search.
 */
export function countCalls(answer: JsonObject): ReportedUnits {
  let queries = 0;
  let maps = 0;
  for (const candidate of arrayOf(answer['candidates'])) {
    const grounding = objectOf(objectOf(candidate)?.['groundingMetadata']) ?? {};
    const cited = arrayOf(grounding['groundingChunks']);
    if (cited.some((chunk) => objectOf(chunk)?.['maps'] !== undefined)) maps += 1;
    queries += arrayOf(grounding['webSearchQueries']).length;
  }
  const billed = BILLS_ANSWERS.test(String(answer['modelVersion']))
    ? Math.min(queries, 1)
    : queries;
  return { web_search: billed, maps_search: maps };
}

/** Later pieces of a stream repeat what earlier ones have told. */
export function mostCalls(before: ReportedUnits, now: ReportedUnits): ReportedUnits {
  return {
    web_search: Math.max(before.web_search ?? 0, now.web_search ?? 0),
    maps_search: Math.max(before.maps_search ?? 0, now.maps_search ?? 0),
  };
}
