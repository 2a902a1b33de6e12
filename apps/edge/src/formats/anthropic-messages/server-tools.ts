// Server tools of the messages format: their kinds, their bounds, and their counts in an answer.

import { countOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject, NormalisedRequest, ReportedUnits } from '../normalised';
import {
  callBound,
  eachTool,
  ROWS,
  serverTools,
  type ServerTool,
  type ToolRow,
} from '../server-tools';

interface Row {
  rows: readonly ToolRow[];
  /** Whether its calls can be bounded. */
  bound?: 'max_uses';
}

/** Types without their date; others are unknown tools. */
const TOOLS: Readonly<Record<string, Row>> = {
  custom: { rows: ROWS.none },
  bash: { rows: ROWS.none },
  computer: { rows: ROWS.none },
  memory: { rows: ROWS.none },
  text_editor: { rows: ROWS.none },
  tool_search_tool_bm25: { rows: ROWS.none },
  tool_search_tool_regex: { rows: ROWS.none },
  mcp_toolset: { rows: ROWS.output },
  code_execution: { rows: ROWS.codeContainer },
  web_fetch: { rows: ROWS.page, bound: 'max_uses' },
  web_search: { rows: ROWS.webSearch, bound: 'max_uses' },
};
const UNKNOWN: Row = { rows: ROWS.unknown };

const DATED = /^(\w+?)_(\d{8})$/;
/** From this version on, a request with one of these tools pays nothing for code containers. */
const FREE_CODE = { tools: new Set(['web_search', 'web_fetch']), since: '20260209' };

export function serverToolsOf({ raw }: NormalisedRequest): ServerTool[] {
  const { tools } = raw;
  const free = Array.isArray(tools) && tools.some(freesCode);
  const found = eachTool(tools, (tool, param) => {
    const { name, bound, rows } = rowOf(tool);
    const maxCalls = bound === undefined ? 0 : callBound(tool[bound]);
    const perCall = countOf(tool['max_content_tokens']);
    const entries = serverTools(free && name === 'code_execution' ? ROWS.output : rows, param, {
      maxCalls,
    });
    if (name !== 'web_fetch' || perCall === undefined) return entries;
    return entries.map((entry) => ({
      ...entry,
      inputTokensPerCall: Math.min(perCall, entry.inputTokensPerCall),
    }));
  });
  const servers = Array.isArray(raw['mcp_servers']) && raw['mcp_servers'].length > 0;
  return servers ? [...found, ...serverTools(ROWS.output, 'mcp_servers')] : found;
}

/** Writes the held bound into tools that accept one and have none. */
export function boundTools(body: JsonObject, maxCalls: number): void {
  const { tools } = body;
  if (!Array.isArray(tools)) return;
  body['tools'] = tools.map((tool: unknown) => {
    const field = isObject(tool) ? rowOf(tool).bound : undefined;
    if (!isObject(tool) || field === undefined || callBound(tool[field]) > 0) return tool;
    return { ...tool, [field]: maxCalls };
  });
}

function rowOf(tool: JsonObject): Row & { name: string } {
  const type = textOf(tool['type']) ?? 'custom';
  const name = DATED.exec(type)?.[1] ?? type;
  return { name, ...(Object.hasOwn(TOOLS, name) ? (TOOLS[name] ?? UNKNOWN) : UNKNOWN) };
}

function freesCode(tool: unknown): boolean {
  const [, name = '', date = ''] = DATED.exec(textOf(objectOf(tool)?.['type']) ?? '') ?? [];
  return FREE_CODE.tools.has(name) && date >= FREE_CODE.since;
}

/** Calls seen in an answer before its usage is known. */
export interface SeenCalls {
  searches: number;
  code: boolean;
}

const CODE = /(?:^|_)code_execution$/;

export function seeBlock(seen: SeenCalls, block: JsonObject): void {
  if (block['type'] !== 'server_tool_use') return;
  const name = textOf(block['name']) ?? '';
  if (name === 'web_search') seen.searches += 1;
  if (CODE.test(name)) seen.code = true;
}

/** The vendor's own counts, or the calls seen if it sends none. */
export function countCalls(usage: JsonObject, seen: SeenCalls): ReportedUnits {
  const said = objectOf(usage['server_tool_use']);
  const searches = countOf(said?.['web_search_requests']);
  const fetches = countOf(said?.['web_fetch_requests']) ?? 0;
  const ran = (countOf(said?.['code_execution_requests']) ?? 0) > 0;
  const free = (searches ?? 0) + fetches > 0;
  return {
    web_search: searches ?? seen.searches,
    code_execution: ran || (seen.code && !free) ? 1 : 0,
  };
}
