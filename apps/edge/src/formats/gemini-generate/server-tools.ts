// Server tools of this format. A request cannot bound them.

import { arrayOf, isObject, objectOf } from '../json';
import type { JsonObject, NormalisedRequest, ReportedUnits } from '../normalised';
import { eachTool, ROWS, serverTools, type ServerTool, type ToolRow } from '../server-tools';
import { camelFields, fieldOf } from './names';

/** By the field that enables them; others are unknown tools. */
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
  // A cache may contain tools.
  return cached ? [...found, ...serverTools(ROWS.kept, 'cachedContent')] : found;
}

const BILLS_ANSWERS = /gemini-[12]\b/;

/**
 * Web and maps searches in the grounding of an answer. The vendor bills each query from its third
 * generation on, and before that each answer with a search. Maps grounding has no queries: an
 * answer that cites a map counts as one search.
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

/** Later chunks of a stream repeat earlier counts. */
export function mostCalls(before: ReportedUnits, now: ReportedUnits): ReportedUnits {
  return {
    web_search: Math.max(before.web_search ?? 0, now.web_search ?? 0),
    maps_search: Math.max(before.maps_search ?? 0, now.maps_search ?? 0),
  };
}
