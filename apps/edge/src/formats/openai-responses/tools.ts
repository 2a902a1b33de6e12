// Tools, tool choice and response format, decoded and encoded. Server tools are known to their
// provider only, and become extras.

import { addOtherFields, isObject, present } from '../json';
import type {
  JsonObject,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  ToolReference,
} from '../normalised';
import type { WireFormat, WireReference, WireTool, WireToolChoice } from './wire';

const FIELDS: Readonly<Record<'function' | 'custom', ReadonlySet<string>>> = {
  function: new Set(['type', 'name', 'description', 'parameters', 'strict']),
  custom: new Set(['type', 'name', 'description', 'format']),
};

/** `paths` records the original paths of tools that moved up. */
export function decodeTools(
  tools: readonly WireTool[],
  extras: JsonObject,
  paths: Record<string, string>,
): ToolDefinition[] {
  const known: ToolDefinition[] = [];
  for (const [at, wire] of tools.entries()) {
    const path = `tools[${at}]`;
    if (wire.type === 'unknown') {
      extras[path] = wire.raw;
      continue;
    }
    addOtherFields(wire, FIELDS[wire.type], path, extras);
    if (known.length !== at) paths[`tools[${known.length}]`] = path;
    known.push(decodeTool(wire));
  }
  return known;
}

function decodeTool(wire: Exclude<WireTool, { type: 'unknown' }>): ToolDefinition {
  const { name, description } = wire;
  if (wire.type === 'function') {
    const { parameters, strict } = wire;
    return { kind: 'function', name, ...present({ description, parameters, strict }) };
  }
  const inputFormat = wire.format ? nested(wire.format) : undefined;
  return { kind: 'custom', name, ...present({ description, inputFormat }) };
}

/** A grammar is flat here, and nested in the chat format, which the hub follows. */
function nested(format: JsonObject): JsonObject {
  const { type, ...grammar } = format;
  return type === 'grammar' && !isObject(grammar['grammar']) ? { type, grammar } : format;
}

function flat(format: JsonObject): JsonObject {
  const { type, grammar } = format;
  return type === 'grammar' && isObject(grammar) ? { type, ...grammar } : format;
}

/** Functions are strict by default here. */
export function encodeTool(tool: ToolDefinition): JsonObject {
  if (tool.kind === 'function') {
    const { name, description, parameters = null, strict = false } = tool;
    return { type: 'function', name, ...present({ description }), parameters, strict };
  }
  const { name, description, inputFormat } = tool;
  const format = inputFormat && flat(inputFormat);
  return { type: 'custom', name, ...present({ description, format }) };
}

function decodeReference(
  wire: WireReference,
  path: string,
  extras: JsonObject,
): ToolReference | undefined {
  if (wire.type !== 'unknown') return { kind: wire.type, name: wire.name };
  extras[path] = wire.raw;
  return undefined;
}

/** Undefined for a choice of server tools. */
export function decodeToolChoice(wire: WireToolChoice, extras: JsonObject): ToolChoice | undefined {
  if (typeof wire === 'string') return { mode: wire };
  if (wire.type !== 'allowed_tools') {
    const tool = decodeReference(wire, 'tool_choice', extras);
    return tool && { mode: 'tool', tool };
  }
  const tools = wire.tools.flatMap(
    (tool, at) => decodeReference(tool, `tool_choice.tools[${at}]`, extras) ?? [],
  );
  return { mode: 'allowed', require: wire.mode === 'required', tools };
}

export function encodeToolChoice(choice: ToolChoice): string | JsonObject {
  if (choice.mode === 'tool') return encodeReference(choice.tool);
  if (choice.mode !== 'allowed') return choice.mode;
  const mode = choice.require ? 'required' : 'auto';
  return { type: 'allowed_tools', mode, tools: choice.tools.map(encodeReference) };
}

function encodeReference({ kind, name }: ToolReference): JsonObject {
  return { type: kind, name };
}

/** Undefined for an unknown response format. */
export function decodeFormat(wire: WireFormat, extras: JsonObject): ResponseFormat | undefined {
  if (wire.type === 'unknown') {
    extras['text.format'] = wire.raw;
    return undefined;
  }
  if (wire.type !== 'json_schema') return { type: wire.type };
  const { name, description, schema, strict } = wire;
  return { type: 'json_schema', name, ...present({ description, schema, strict }) };
}

export function encodeFormat(format: ResponseFormat): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type };
  const { name, description, schema = {}, strict } = format;
  return { type: 'json_schema', name, ...present({ description, strict }), schema };
}
