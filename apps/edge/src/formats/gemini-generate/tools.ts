// Functions and tool choice, decoded and encoded. Server tools are known to the vendor only.

import type { DropList } from '../drop-list';
import { isObject, present } from '../json';
import type {
  JsonObject,
  NormalisedRequest,
  ToolChoice,
  ToolDefinition,
  ToolReference,
} from '../normalised';
import type { Generation } from './dialects';
import { toJsonSchema } from './json-schema';
import { addOtherFields } from './names';
import { FUNCTION_FIELDS, type WireTool, type WireToolConfig } from './wire';

type FunctionTool = Extract<ToolDefinition, { kind: 'function' }>;

const TOOL_FIELDS: ReadonlySet<string> = new Set(['functionDeclarations']);

/** The functions, and the path of each declaration. */
export function decodeTools(
  tools: readonly WireTool[] | null | undefined,
  extras: JsonObject,
  paths: Record<string, string>,
): FunctionTool[] {
  const functions: FunctionTool[] = [];
  for (const [at, wire] of (tools ?? []).entries()) {
    addOtherFields(wire, TOOL_FIELDS, `tools[${at}]`, extras);
    for (const [index, declaration] of (wire.functionDeclarations ?? []).entries()) {
      const path = `tools[${at}].functionDeclarations[${index}]`;
      paths[`tools[${functions.length}]`] = path;
      addOtherFields(declaration, FUNCTION_FIELDS, path, extras);
      const { name, description, parameters, parametersJsonSchema: newer } = declaration;
      const schema = isObject(newer) ? newer : parameters ? toJsonSchema(parameters) : undefined;
      functions.push({ kind: 'function', name, ...present({ description, parameters: schema }) });
    }
  }
  return functions;
}

const CONFIG_FIELDS: ReadonlySet<string> = new Set(['functionCallingConfig']);
const CALLING_FIELDS: ReadonlySet<string> = new Set(['mode', 'allowedFunctionNames']);

export function decodeToolChoice(
  wire: WireToolConfig | null | undefined,
  extras: JsonObject,
): ToolChoice | undefined {
  addOtherFields(wire ?? {}, CONFIG_FIELDS, 'toolConfig', extras);
  const calling = wire?.functionCallingConfig;
  if (!calling) return undefined;
  addOtherFields(calling, CALLING_FIELDS, 'toolConfig.functionCallingConfig', extras);
  // Enforced schemas without a forced call: other formats set that per function.
  if (calling.mode === 'VALIDATED') extras['toolConfig.functionCallingConfig.mode'] = calling.mode;
  const names = calling.allowedFunctionNames ?? [];
  const tools = names.map((name): ToolReference => ({ kind: 'function', name }));
  const [only, ...others] = tools;
  if (calling.mode === 'NONE') return { mode: 'none' };
  const require = calling.mode === 'ANY';
  if (only === undefined) return { mode: require ? 'required' : 'auto' };
  if (require && others.length === 0) return { mode: 'tool', tool: only };
  return { mode: 'allowed', require, tools };
}

export interface EncodedTools {
  tools?: JsonObject[];
  toolConfig?: JsonObject;
}

export function encodeTools(
  request: NormalisedRequest,
  generation: Generation,
  drops: DropList,
): EncodedTools {
  const { toolChoice, parallelToolCalls } = request;
  const functions: FunctionTool[] = [];
  let strict = false;
  for (const [at, tool] of request.tools.entries()) {
    if (tool.kind === 'function') {
      functions.push(tool);
      if (tool.strict !== true) continue;
      if (generation.validatedCalls) strict = true;
      else drops.drop(`tools[${at}].strict`);
    } else drops.drop(`tools[${at}]`);
  }
  if (functions.length === 0) {
    if (toolChoice !== undefined && forces(toolChoice)) drops.drop('tool_choice');
    return {};
  }
  // The format cannot limit parallel calls.
  if (parallelToolCalls === false) drops.drop('parallel_tool_calls');
  const calling = encodeChoice(toolChoice, strict, functions, drops);
  return {
    tools: [{ functionDeclarations: functions.map(encodeFunction) }],
    ...(calling === undefined ? {} : { toolConfig: { functionCallingConfig: calling } }),
  };
}

function forces(choice: ToolChoice): boolean {
  return choice.mode === 'allowed'
    ? choice.require
    : choice.mode !== 'auto' && choice.mode !== 'none';
}

function encodeFunction({ name, description, parameters }: FunctionTool): JsonObject {
  return { name, ...present({ description, parametersJsonSchema: parameters }) };
}

/** A forced call follows its schema anyway; otherwise another mode enforces it. */
function encodeChoice(
  choice: ToolChoice | undefined,
  strict: boolean,
  functions: readonly FunctionTool[],
  drops: DropList,
): JsonObject | undefined {
  const free = strict ? 'VALIDATED' : 'AUTO';
  if (choice === undefined) return strict ? { mode: free } : undefined;
  if (choice.mode === 'none') return { mode: 'NONE' };
  if (choice.mode === 'auto') return { mode: free };
  if (choice.mode === 'required') return { mode: 'ANY' };
  const asked = namedTools(choice);
  const declared = new Set(functions.map(({ name }) => name));
  const allowed = asked.filter(({ name }) => declared.has(name)).map(({ name }) => name);
  if (allowed.length < asked.length) drops.drop('tool_choice');
  if (allowed.length === 0) return undefined;
  return { mode: forces(choice) ? 'ANY' : 'VALIDATED', allowedFunctionNames: allowed };
}

function namedTools(choice: ToolChoice): readonly ToolReference[] {
  if (choice.mode === 'tool') return [choice.tool];
  return choice.mode === 'allowed' ? choice.tools : [];
}
