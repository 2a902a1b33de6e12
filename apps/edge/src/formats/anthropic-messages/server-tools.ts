// Server tools of the messages format: their kinds, their bounds, and their counts in an answer.

import { arrayOf, countOf, isObject, objectOf, textOf } from '../json';
import type { JsonObject, NormalisedRequest, ReportedUnits } from '../normalised';
import {
  atMostHeld,
  callBound,
  eachTool,
  firstOfEach,
  ROWS,
  serverTools,
  type ServerTool,
  type ToolRow,
} from '../server-tools';
import { addedTools, changeAddedTools, type DeclaredTool } from './added-tools';

interface Row {
  rows: readonly ToolRow[];
  /** Whether its calls can be bounded. */
  bound?: 'max_uses';
}

/** Types without their date; others are unknown tools. */
const TOOLS: Readonly<Record<string, Row>> = {
  custom: { rows: ROWS.none },
  // It is refused where it would run (ungoverned.ts).
  advisor: { rows: ROWS.none },
  bash: { rows: ROWS.none },
  browser_toolset: { rows: ROWS.none },
  computer: { rows: ROWS.none },
  computer_toolset: { rows: ROWS.none },
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
  const read = (tool: JsonObject, param: string): ServerTool[] => toolsOf(tool, param, free);
  const found = eachTool(tools, read);
  const servers = Array.isArray(raw['mcp_servers']) && raw['mcp_servers'].length > 0;
  if (servers) found.push(...serverTools(ROWS.output, 'mcp_servers'));
  found.push(...compactionOf(raw));
  const added = addedTools(raw['messages']);
  if (added.length === 0) return found;
  const first = firstOfEach(added, billOf).flatMap(({ tool, path }) => read(tool, path));
  return atMostHeld([...found, ...first], 'messages');
}

/** The provider summarises the context: at a trigger, before it answers, or instead of an answer. */
function compactionOf({ compaction, context_management: management }: JsonObject): ServerTool[] {
  if (isObject(compaction)) return serverTools(ROWS.compaction, 'compaction');
  const edits = arrayOf(objectOf(management)?.['edits']);
  const at = edits.findIndex((edit) => textOf(objectOf(edit)?.['type'])?.startsWith('compact_'));
  return at === -1 ? [] : serverTools(ROWS.compaction, `context_management.edits[${at}]`);
}

function toolsOf(tool: JsonObject, param: string, freeCode: boolean): ServerTool[] {
  const { name, bound, rows } = rowOf(tool);
  const maxCalls = bound === undefined ? 0 : callBound(tool[bound]);
  const perCall = countOf(tool['max_content_tokens']);
  const entries = serverTools(freeCode && name === 'code_execution' ? ROWS.output : rows, param, {
    maxCalls,
  });
  if (name !== 'web_fetch' || perCall === undefined) return entries;
  return entries.map((entry) => ({
    ...entry,
    inputTokensPerCall: Math.min(perCall, entry.inputTokensPerCall),
  }));
}

/** What a definition is billed by. */
const BILLING = ['type', 'name', 'mcp_server_name', 'max_uses', 'max_content_tokens'];

function billOf({ tool }: DeclaredTool): string {
  return JSON.stringify(BILLING.map((field) => tool[field]));
}

/** Writes the held bound into tools that accept one and have none. */
export function boundTools(body: JsonObject, maxCalls: number): void {
  const { tools } = body;
  const bounded = (tool: JsonObject): JsonObject => {
    const field = rowOf(tool).bound;
    return field === undefined || callBound(tool[field]) > 0
      ? tool
      : { ...tool, [field]: maxCalls };
  };
  if (Array.isArray(tools)) {
    body['tools'] = tools.map((tool: unknown) => (isObject(tool) ? bounded(tool) : tool));
  }
  body['messages'] = changeAddedTools(body['messages'], bounded);
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
