// Tools, tool choice and response format, decoded and encoded. The format has no free-text tools,
// and no choice among some of the tools.

import { writeCacheMark } from '../cache-marks';
import type { DropList } from '../drop-list';
import { addOtherFields, present } from '../json';
import type {
  JsonObject,
  NormalisedMessage,
  NormalisedRequest,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
} from '../normalised';
import { WEB_SEARCH_TOOL } from '../web-search';
import type { WireTool, WireToolChoice } from './wire';

const TOOL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'strict',
]);

/** A server tool is known to its provider only, and becomes an extra. */
export function decodeTools(
  tools: readonly WireTool[] | null | undefined,
  extras: JsonObject,
  paths: Record<string, string>,
): ToolDefinition[] {
  const own: ToolDefinition[] = [];
  for (const [at, wire] of (tools ?? []).entries()) {
    const path = `tools[${at}]`;
    if (wire.type === 'unknown') {
      extras[path] = wire.raw;
      continue;
    }
    if (own.length !== at) paths[`tools[${own.length}]`] = path;
    addOtherFields(wire, TOOL_FIELDS, path, extras);
    const { name, description, input_schema: parameters, strict } = wire;
    own.push({ kind: 'function', name, parameters, ...present({ description, strict }) });
  }
  return own;
}

type Choice = Pick<NormalisedRequest, 'toolChoice' | 'parallelToolCalls'>;

export function decodeToolChoice(wire: WireToolChoice | null | undefined): Choice {
  if (!wire) return {};
  const toolChoice: ToolChoice =
    wire.type === 'tool'
      ? { mode: 'tool', tool: { kind: 'function', name: wire.name } }
      : { mode: wire.type === 'any' ? 'required' : wire.type };
  const single = wire.disable_parallel_tool_use;
  return { toolChoice, ...(single === true ? { parallelToolCalls: false } : {}) };
}

export interface EncodedTools {
  tools?: JsonObject[];
  tool_choice?: JsonObject;
}

export function encodeTools(request: NormalisedRequest, drops: DropList): EncodedTools {
  const { toolChoice, parallelToolCalls } = request;
  const functions = request.tools.flatMap((tool, at) => {
    if (tool.kind === 'function') return [tool];
    drops.drop(`tools[${at}]`);
    return [];
  });
  // The format has no allow list, so only the allowed tools are declared.
  const allowed =
    toolChoice?.mode === 'allowed'
      ? functions.filter(({ name }) => toolChoice.tools.some((tool) => tool.name === name))
      : functions;
  if (allowed.length === 0) {
    if (toolChoice && isForced(toolChoice)) drops.drop('tool_choice');
    return mentionedTools(request.messages);
  }
  // A tool that cannot be declared cannot be chosen.
  const missing = toolChoice?.mode === 'tool' && toolChoice.tool.kind === 'custom';
  if (missing) drops.drop('tool_choice');
  const choice = missing ? undefined : encodeChoice(toolChoice);
  const single = parallelToolCalls === false && choice?.['type'] !== 'none';
  return {
    tools: allowed.map(encodeTool),
    ...(single
      ? { tool_choice: { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true } }
      : present({ tool_choice: choice })),
  };
}

/**
 * Adds the web search tool. A tool choice of `none` would forbid the search too, so the functions that
 * it forbids are left out instead.
 */
export function withSearch(
  encoded: EncodedTools,
  search: JsonObject | undefined,
  forced: object | undefined,
): EncodedTools {
  if (search === undefined) return encoded;
  const callsNone = encoded.tool_choice?.['type'] === 'none';
  const { tools = [], tool_choice: choice } = callsNone ? {} : encoded;
  const named = { type: 'tool', name: WEB_SEARCH_TOOL };
  return {
    tools: [...tools, search],
    ...present({ tool_choice: forced === undefined ? choice : { ...choice, ...named } }),
  };
}

export function isForced(choice: ToolChoice): boolean {
  if (choice.mode === 'allowed') return choice.require;
  return choice.mode === 'required' || choice.mode === 'tool';
}

function encodeChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined;
  if (choice.mode === 'tool') return { type: 'tool', name: choice.tool.name };
  if (isForced(choice)) return { type: 'any' };
  return { type: choice.mode === 'none' ? 'none' : 'auto' };
}

function encodeTool(tool: Extract<ToolDefinition, { kind: 'function' }>): JsonObject {
  const { name, description, parameters, strict } = tool;
  const input_schema = { type: 'object', ...parameters };
  return { name, ...present({ description, strict }), input_schema, ...writeCacheMark(tool) };
}

/**
 * A conversation with tool calls must declare tools. If no tool is allowed any more, the called
 * ones are declared and tool choice is `none`.
 */
function mentionedTools(messages: readonly NormalisedMessage[]): EncodedTools {
  const names = new Set<string>();
  for (const { content } of messages) {
    for (const block of content) if (block.type === 'tool_call') names.add(block.name);
  }
  if (names.size === 0) return {};
  const tools = [...names].map((name) => encodeTool({ kind: 'function', name }));
  return { tools, tool_choice: { type: 'none' } };
}

/** Every answer is text; JSON without a schema becomes an instruction. */
export function encodeResponseFormat(
  format: ResponseFormat | undefined,
  drops: DropList,
): JsonObject | undefined {
  if (format?.type !== 'json_schema' || format.schema === undefined) return undefined;
  if (format.description !== undefined) drops.drop('response_format.json_schema.description');
  return { type: 'json_schema', schema: format.schema };
}
