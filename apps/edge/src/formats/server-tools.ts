// Server tools: tools that a provider runs while it answers. Each format has its own table; this is
// the shared part. A row says how a call is billed and how much input its result may add.

import { ANY_UNIT, gatewayError, type Unit } from '@tollgate/contracts';

import { arrayOf, countOf, isObject } from './json';
import type { JsonObject, ReportedUnits } from './normalised';

/** A billed unit of a requested tool; a tool may have several. */
export interface ServerTool {
  /** Empty: calls cost only their tokens. `*`: the request does not name the tool. */
  unit: Unit | '' | typeof ANY_UNIT;
  /** The path of the field that requests it. */
  param: string;
  /** The request's own bound on its calls; 0: none. */
  maxCalls: number;
  /** Tools with the same bound share its calls. */
  sharesBound: boolean;
  inputTokensPerCall: number;
  /** A call reads the whole input of the request again, in a prompt of its own. */
  readsInput?: true;
}

/** How a kind of tool is billed, in any request. */
export type ToolRow = Pick<ServerTool, 'unit' | 'inputTokensPerCall' | 'readsInput'> & {
  /** The most calls that the tool itself allows. */
  maxCalls?: number;
};

/**
 * The most input tokens that a call's result adds, by vendors' documentation: some bill a web
 * search as a block of 8,000, a file search returns 20 pieces of 800, and a page is cut at the
 * request's own limit. Usage beyond that is booked all the same.
 */
const RESULT_TOKENS = {
  search: 8_000,
  files: 16_000,
  page: 25_000,
  output: 2_000,
  summary: 8_000,
} as const;

export const ROWS = {
  webSearch: [{ unit: 'web_search', inputTokensPerCall: RESULT_TOKENS.search }],
  fileSearch: [{ unit: 'file_search', inputTokensPerCall: RESULT_TOKENS.files }],
  /** Some vendors bill a file search by its tokens only. */
  freeFileSearch: [{ unit: '', inputTokensPerCall: RESULT_TOKENS.files }],
  mapsSearch: [{ unit: 'maps_search', inputTokensPerCall: RESULT_TOKENS.output }],
  /** A container is billed once, for any number of runs. */
  codeContainer: [
    { unit: 'code_execution', inputTokensPerCall: 0, maxCalls: 1 },
    { unit: '', inputTokensPerCall: RESULT_TOKENS.output },
  ],
  /** Calls cost only the tokens of their results. */
  page: [{ unit: '', inputTokensPerCall: RESULT_TOKENS.page }],
  output: [{ unit: '', inputTokensPerCall: RESULT_TOKENS.output }],
  /** The summary is output, but reading the input again costs far more. */
  compaction: [
    { unit: '', inputTokensPerCall: RESULT_TOKENS.summary, maxCalls: 1, readsInput: true },
  ],
  image: [{ unit: 'image', inputTokensPerCall: 0 }],
  /** An unknown tool may be billed per call. */
  unknown: [{ unit: 'tool_call', inputTokensPerCall: RESULT_TOKENS.search }],
  /** Stored state of the provider may add tools that the request does not name. */
  kept: [{ unit: ANY_UNIT, inputTokensPerCall: 0 }],
  /** The client runs the tool, or it is free. */
  none: [],
} as const satisfies Readonly<Record<string, readonly ToolRow[]>>;

/** The most calls per tool that a hold covers. */
const MOST_CALLS = 1_000_000;
/** The most billed tools per request. */
const MOST_TOOLS = 100;

/** A client's bound; 0 if invalid or absent. */
export function callBound(value: unknown): number {
  return Math.min(countOf(value) ?? 0, MOST_CALLS);
}

export function serverTools(
  rows: readonly ToolRow[],
  param: string,
  bound: { maxCalls?: number; sharesBound?: boolean } = {},
): ServerTool[] {
  return rows.map(({ unit, inputTokensPerCall, maxCalls, readsInput }) => ({
    unit,
    param,
    inputTokensPerCall,
    maxCalls: maxCalls ?? bound.maxCalls ?? 0,
    sharesBound: maxCalls === undefined && bound.sharesBound === true,
    ...(readsInput ? { readsInput } : {}),
  }));
}

/**
 * Reads each tool of the list at `path`.
 * @throws GatewayError `invalid_request` when more of them are billed than could be held
 */
export function eachTool(
  tools: unknown,
  read: (tool: JsonObject, param: string) => ServerTool[],
  path = 'tools',
): ServerTool[] {
  const found: ServerTool[] = [];
  for (const [at, tool] of arrayOf(tools).entries()) {
    if (isObject(tool)) found.push(...read(tool, `${path}[${at}]`));
  }
  return atMostHeld(found, path);
}

/** A conversation repeats its turns, and with them the same tools: the first of each bill. */
export function firstOfEach<T>(tools: readonly T[], billOf: (tool: T) => string): T[] {
  const byBill = new Map<string, T>();
  for (const tool of tools) {
    const bill = billOf(tool);
    if (!byBill.has(bill)) byBill.set(bill, tool);
  }
  return [...byBill.values()];
}

/** @throws GatewayError `invalid_request` when more tools are billed than could be held */
export function atMostHeld(found: ServerTool[], path: string): ServerTool[] {
  if (found.length <= MOST_TOOLS) return found;
  const message = `${path}: asks for too many tools that the provider runs. Send fewer of them.`;
  throw gatewayError('invalid_request', message, { param: path });
}

/** Units by name; empty if all are zero. */
export function toolUnits(counts: ReportedUnits): { units?: ReportedUnits } {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? {} : { units: Object.fromEntries(some) };
}
