// Tools, tool choice and response format, decoded and encoded.

import { cacheMarkOf } from '../cache-marks';
import { arrayOf, objectOf, present } from '../json';
import type {
  JsonObject,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  ToolReference,
} from '../normalised';
import type { ChatResponseFormat, ChatTool, ChatToolChoice } from './wire';

/**
 * A tool that only the provider knows becomes an extra; `paths` records the original paths of the
 * tools after it.
 */
export function decodeToolList(
  tools: readonly ChatTool[],
  raw: unknown,
  extras: JsonObject,
  paths: Record<string, string>,
): ToolDefinition[] {
  const known: ToolDefinition[] = [];
  for (const [at, wire] of tools.entries()) {
    const tool = decodeTool(wire);
    const written = arrayOf(raw)[at];
    if (tool === undefined) {
      extras[`tools[${at}]`] = written;
      continue;
    }
    if (known.length !== at) paths[`tools[${known.length}]`] = `tools[${at}]`;
    known.push({
      ...tool,
      ...cacheMarkOf(objectOf(written)?.['function']),
      ...cacheMarkOf(written),
    });
  }
  return known;
}

/** Undefined for an unknown tool type. */
function decodeTool(wire: ChatTool): ToolDefinition | undefined {
  if (wire === 'unknown') return undefined;
  if (wire.type === 'function') {
    const { name, description, parameters, strict } = wire.function;
    return { kind: 'function', name, ...present({ description, parameters, strict }) };
  }
  const { name, description, format } = wire.custom;
  return { kind: 'custom', name, ...present({ description, inputFormat: format }) };
}

export function encodeTool(tool: ToolDefinition): JsonObject {
  if (tool.kind === 'function') {
    const { name, description, parameters, strict } = tool;
    return {
      type: 'function',
      function: { name, ...present({ description, parameters, strict }) },
    };
  }
  const { name, description, inputFormat } = tool;
  return { type: 'custom', custom: { name, ...present({ description, format: inputFormat }) } };
}

type WireReference = Extract<ChatToolChoice, { type: 'function' | 'custom' }>;

function decodeReference(wire: WireReference): ToolReference {
  return wire.type === 'function'
    ? { kind: 'function', name: wire.function.name }
    : { kind: 'custom', name: wire.custom.name };
}

function encodeReference({ kind, name }: ToolReference): JsonObject {
  return kind === 'function'
    ? { type: 'function', function: { name } }
    : { type: 'custom', custom: { name } };
}

export function decodeToolChoice(wire: ChatToolChoice): ToolChoice {
  if (typeof wire === 'string') return { mode: wire };
  if (wire.type !== 'allowed_tools') return { mode: 'tool', tool: decodeReference(wire) };
  const { mode, tools } = wire.allowed_tools;
  return { mode: 'allowed', require: mode === 'required', tools: tools.map(decodeReference) };
}

export function encodeToolChoice(choice: ToolChoice): string | JsonObject {
  if (choice.mode === 'tool') return encodeReference(choice.tool);
  if (choice.mode !== 'allowed') return choice.mode;
  const mode = choice.require ? 'required' : 'auto';
  const tools = choice.tools.map(encodeReference);
  return { type: 'allowed_tools', allowed_tools: { mode, tools } };
}

/** Undefined for an unknown response format. */
export function decodeResponseFormat(wire: ChatResponseFormat): ResponseFormat | undefined {
  if (wire === 'unknown') return undefined;
  if (wire.type !== 'json_schema') return { type: wire.type };
  const { name, description, schema, strict } = wire.json_schema;
  return { type: 'json_schema', name, ...present({ description, schema, strict }) };
}

export function encodeResponseFormat(format: ResponseFormat): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type };
  const { name, description, schema, strict } = format;
  return {
    type: 'json_schema',
    json_schema: { name, ...present({ description, schema, strict }) },
  };
}
