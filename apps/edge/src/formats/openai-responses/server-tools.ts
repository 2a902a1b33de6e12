// Server tools of the responses format: their kinds, their bounds, and their counts in an answer.

import { imageUnit } from '@tollgate/contracts';

import { arrayOf, objectOf, textOf } from '../json';
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

/** Types without their date; others are unknown tools. */
const TOOLS: Readonly<Record<string, readonly ToolRow[]>> = {
  function: ROWS.none,
  custom: ROWS.none,
  namespace: ROWS.none,
  tool_search: ROWS.none,
  local_shell: ROWS.none,
  apply_patch: ROWS.none,
  computer: ROWS.none,
  computer_use_preview: ROWS.none,
  web_search: ROWS.webSearch,
  web_search_preview: ROWS.webSearch,
  file_search: ROWS.fileSearch,
  code_interpreter: ROWS.codeContainer,
  mcp: ROWS.output,
};

const BOUND = 'max_tool_calls';

export function serverToolsOf({ raw }: NormalisedRequest): ServerTool[] {
  const bound = { maxCalls: callBound(raw[BOUND]), sharesBound: true };
  const read = (tool: JsonObject, param: string): ServerTool[] =>
    serverTools(rowsOf(tool), param, bound);
  const found = eachTool(raw['tools'], read);
  // A stored prompt may contain tools.
  const kept = objectOf(raw['prompt']) === undefined ? [] : serverTools(ROWS.kept, 'prompt', bound);
  const lists = toolListsIn(raw['input']);
  if (lists.length === 0) return [...found, ...kept];
  const added = lists.flatMap(({ tools, path }) => eachTool(tools, read, path));
  return atMostHeld([...found, ...firstOfEach(added, billOf), ...kept], 'input');
}

/** Items of a conversation that add tools to those of the request. */
const ADDING_TOOLS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

function toolListsIn(input: unknown): { tools: unknown[]; path: string }[] {
  return arrayOf(input).flatMap((value, at) => {
    const { type, tools } = objectOf(value) ?? {};
    const list = ADDING_TOOLS.has(type) ? arrayOf(tools) : [];
    return list.length === 0 ? [] : [{ tools: list, path: `input[${at}].tools` }];
  });
}

export function addsTools(input: unknown): boolean {
  return toolListsIn(input).length > 0;
}

function billOf({ inputTokensPerCall, maxCalls, unit }: ServerTool): string {
  return `${unit} ${inputTokensPerCall} ${maxCalls}`;
}

/** Writes the held bound if the client set none. */
export function boundTools(body: JsonObject, maxCalls: number): void {
  if (callBound(body[BOUND]) === 0) body[BOUND] = maxCalls;
}

function rowsOf(tool: JsonObject): readonly ToolRow[] {
  const type = (textOf(tool['type']) ?? 'function').replace(/_\d{4}_\d{2}_\d{2}$/, '');
  if (type === 'shell') return isHosted(tool) ? ROWS.codeContainer : ROWS.none;
  if (type === 'image_generation') return [{ ...ROWS.image[0], unit: imageOf(tool) }];
  return Object.hasOwn(TOOLS, type) ? (TOOLS[type] ?? ROWS.unknown) : ROWS.unknown;
}

/** A shell without an environment runs at the client. */
function isHosted(tool: JsonObject): boolean {
  const type = textOf(objectOf(tool['environment'])?.['type']);
  return type !== undefined && type !== 'local';
}

/** With an automatic size the model may choose any. */
function imageOf(image: JsonObject) {
  return imageUnit(textOf(image['size']) ?? '', textOf(image['quality']) ?? '');
}

/** Counts the calls of a response, item by item. */
export interface ToolCount {
  take(item: unknown): void;
  readonly units: ReportedUnits;
}

/** Items that are not billed as calls. */
const FREE: ReadonlySet<string> = new Set([
  'apply_patch_call',
  'computer_call',
  'custom_tool_call',
  'function_call',
  'local_shell_call',
  'mcp_call',
  'tool_search_call',
]);
const MOST_CONTAINERS = 1_024;

export function createToolCount(): ToolCount {
  const units: Record<string, number> = {};
  const containers = new Set<string>();
  const add = (unit: string): void => {
    units[unit] = (units[unit] ?? 0) + 1;
  };

  function ranIn(container: unknown): void {
    const id = textOf(container) ?? '';
    if (containers.has(id) || containers.size >= MOST_CONTAINERS) return;
    containers.add(id);
    add('code_execution');
  }

  return {
    units,
    take(value) {
      const item = objectOf(value) ?? {};
      const type = textOf(item['type']) ?? '';
      if (type === 'web_search_call') {
        if (isSearch(item)) add('web_search');
      } else if (type === 'file_search_call') add('file_search');
      else if (type === 'code_interpreter_call') ranIn(item['container_id']);
      else if (type === 'shell_call') {
        const container = objectOf(item['environment'])?.['container_id'];
        if (container !== undefined) ranIn(container);
      } else if (type === 'image_generation_call') {
        if (item['status'] !== 'failed') add(imageOf(item));
      } else if (type.endsWith('_call') && !FREE.has(type)) add('tool_call');
    },
  };
}

/** Opening a found page or searching in it is not billed. */
function isSearch({ action }: JsonObject): boolean {
  return (objectOf(action)?.['type'] ?? 'search') === 'search';
}

export function countCalls(output: readonly unknown[]): ReportedUnits {
  const count = createToolCount();
  for (const item of output) count.take(item);
  return count.units;
}
