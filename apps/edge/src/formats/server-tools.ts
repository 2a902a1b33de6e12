// Tools that a provider runs by itself while it answers. Each format has a table of its own; this is
// what they have in common. A row says how a call is billed and how much input its result may add.

import { ANY_UNIT, gatewayError, type Unit } from '@tollgate/contracts';
import { arrayOf, countOf, isObject } from './json';
import type { JsonObject, ReportedUnits } from './normalised';

/** One billed thing of a tool that a request asks for; a tool may be billed by several. */
export interface ServerTool {
  /** Empty: its calls cost no more than their tokens. `*`: the request does not name the tool. */
  unit: Unit | '' | typeof ANY_UNIT;
  /** Path of the field that asks for it. */
  param: string;
  /** The request's own bound on its calls; 0: none. */
  maxCalls: number;
  /** One bound counts the calls of all tools that share it. */
  sharesBound: boolean;
  inputTokensPerCall: number;
}

/** How a kind of tool is billed, whoever asks for it. */
export type ToolRow = Pick<ServerTool, 'unit' | 'inputTokensPerCall'> & {
  /** The most calls that there can be, where that is in its nature. */
  maxCalls?: number;
};

/**
 * How many tokens the result of a call adds at most to the input, as far as vendors say: a search of the
 * web is billed as a block of 8,000 by some, a search of files gives 20 pieces of 800, a page is cut at
 * what the request allows. What is more is booked all the same.
 */
const RESULT_TOKENS = { search: 8_000, files: 16_000, page: 25_000, output: 2_000 } as const;

export const ROWS = {
  webSearch: [{ unit: 'web_search', inputTokensPerCall: RESULT_TOKENS.search }],
  fileSearch: [{ unit: 'file_search', inputTokensPerCall: RESULT_TOKENS.files }],
  /** Some vendors bill a search of files by its tokens alone. */
  freeFileSearch: [{ unit: '', inputTokensPerCall: RESULT_TOKENS.files }],
  mapsSearch: [{ unit: 'maps_search', inputTokensPerCall: RESULT_TOKENS.output }],
  /** A container is billed once, however often code runs in it. */
  codeContainer: [
    { unit: 'code_execution', inputTokensPerCall: 0, maxCalls: 1 },
    { unit: '', inputTokensPerCall: RESULT_TOKENS.output },
  ],
  /** Its calls cost no more than what they read. */
  page: [{ unit: '', inputTokensPerCall: RESULT_TOKENS.page }],
  output: [{ unit: '', inputTokensPerCall: RESULT_TOKENS.output }],
  image: [{ unit: 'image', inputTokensPerCall: 0 }],
  /** What nobody here knows may be billed by the call. */
  unknown: [{ unit: 'tool_call', inputTokensPerCall: RESULT_TOKENS.search }],
  /** Tools may come with something that the provider keeps, and not be named in the request. */
  kept: [{ unit: ANY_UNIT, inputTokensPerCall: 0 }],
  /** The client runs it, or it costs nothing. */
  none: [],
} as const satisfies Readonly<Record<string, readonly ToolRow[]>>;

/** The most calls of one tool that are reckoned with. */
const MOST_CALLS = 1_000_000;
/** The most billed tools that one request may ask for. */
const MOST_TOOLS = 100;

/** A bound as a client wrote it; 0 where it is none. */
export function callBound(value: unknown): number {
  return Math.min(countOf(value) ?? 0, MOST_CALLS);
}

export function serverTools(
  rows: readonly ToolRow[],
  param: string,
  bound: { maxCalls?: number; sharesBound?: boolean } = {},
): ServerTool[] {
  return rows.map(({ unit, inputTokensPerCall, maxCalls }) => ({
    unit,
    param,
    inputTokensPerCall,
    maxCalls: maxCalls ?? bound.maxCalls ?? 0,
    sharesBound: maxCalls === undefined && bound.sharesBound === true,
  }));
}

/**
 * Reads each of a list of tools.
 * @throws GatewayError `invalid_request` when more of them are billed than could be held
 */
export function eachTool(
  tools: unknown,
  read: (tool: JsonObject, param: string) => ServerTool[],
): ServerTool[] {
  const found: ServerTool[] = [];
  for (const [at, tool] of arrayOf(tools).entries()) {
    if (isObject(tool)) found.push(...read(tool, `tools[${at}]`));
  }
  if (found.length <= MOST_TOOLS) return found;
  const message = 'tools: asks for too many tools that the provider runs. Send fewer of them.';
  throw gatewayError('invalid_request', message, { param: 'tools' });
}

/** Counts by unit; nothing where there is none. */
export function toolUnits(counts: ReportedUnits): { units?: ReportedUnits } {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0 ? {} : { units: Object.fromEntries(some) };
}
