// Function calls and their results. Arguments and results are objects here, text in the hub.

import { isObject, parseJson } from '../json';
import type { JsonObject, ToolCallBlock } from '../normalised';

export interface WireCall {
  id?: string | null | undefined;
  name: string;
  args?: JsonObject | null | undefined;
}

export function decodeCall({ id, name, args }: WireCall, madeUpId: string): ToolCallBlock {
  return {
    type: 'tool_call',
    id: id || madeUpId,
    kind: 'function',
    name,
    arguments: JSON.stringify(args ?? {}),
  };
}

/** The arguments as an object; undefined if they are not one. Empty text means no arguments. */
export function parseArguments(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  return parseObject(text);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** For a call that must not be dropped: arguments that are not an object are wrapped in one. */
export function replayCall(block: ToolCallBlock): JsonObject {
  const { id, kind, name } = block;
  const args = kind === 'function' ? parseArguments(block.arguments) : undefined;
  return { functionCall: { id, name, args: args ?? { input: block.arguments } } };
}

/** The text of a result, and whether it is an error. */
export interface ResultText {
  text: string;
  isError: boolean;
}

/** The vendor's field names for a result and an error. */
const OUTPUT = 'output';
const ERROR = 'error';

export function decodeResult(response: JsonObject | null | undefined): ResultText {
  const [first, ...others] = Object.entries(response ?? {});
  if (first === undefined) return { text: '', isError: false };
  const [name, value] = first;
  if (others.length === 0 && (name === OUTPUT || name === ERROR)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { text, isError: name === ERROR };
  }
  return { text: JSON.stringify(response), isError: false };
}

/** More digits than a number can hold. */
const LONG_FRACTION = /\.\d{16}/;

/** JSON object text becomes an object, unless that would lose digits. */
export function encodeResult({ text, isError }: ResultText): JsonObject {
  if (isError) return { [ERROR]: text };
  const value = text.startsWith('{') && !LONG_FRACTION.test(text) ? parseObject(text) : undefined;
  const [first, ...others] = Object.keys(value ?? {});
  const reserved = others.length === 0 && (first === OUTPUT || first === ERROR);
  return value === undefined || first === undefined || reserved ? { [OUTPUT]: text } : value;
}

/**
 * The call of a result without an id: the first call of its name without a result so far.
 */
export function createCallRegister() {
  let open: { id: string; name: string }[] = [];

  return {
    called(id: string, name: string): void {
      open.push({ id, name });
    },
    answered(id: string | null | undefined, name: string): string {
      const at = open.findIndex((call) => (id ? call.id === id : call.name === name));
      const found = open[at];
      open = open.filter((_, index) => index !== at);
      return id || (found?.id ?? `call_${name}`);
    },
  };
}
