// Arguments of a tool that its clients repeat in headers `Mcp-Param-*`: which ones the tool's schema
// declares with `x-mcp-header`, and whether a call's headers agree with its arguments.

import { isObject } from '../../formats/json';
import { headerValue, type HeaderLines } from './header-lines';
import { different, invalid, missing, repeated, type HeaderMismatch } from './mismatch';
import { decodeSentinel } from './sentinel';

/** One declaration of a tool's schema. */
export interface ParamHeader {
  /** The header's whole name. */
  readonly header: string;
  /** The names of properties that lead from the arguments to the value. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean';
}

const DECLARATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Limits of one schema; a tool beyond them is treated as one that declares nothing. */
const HEADERS_MOST = 64;
const DEPTH_MOST = 16;
const PROPERTIES_MOST = 4_096;

/**
 * The headers that a tool's input schema declares. Undefined: a declaration breaks the specification's
 * rules, so that clients must not use the tool, or there are more than anybody needs; such headers are
 * left to the server. Declarations that no chain of `properties` reaches are not looked for.
 */
export function paramHeadersOf(inputSchema: unknown): readonly ParamHeader[] | undefined {
  const found: ParamHeader[] = [];
  const names = new Set<string>();
  let visited = 0;

  const visit = (schema: unknown, path: readonly string[]): boolean => {
    if (!isObject(schema)) return true;
    if (Object.hasOwn(schema, DECLARATION)) {
      const declared = declaredBy(schema, path);
      const name = declared?.header.toLowerCase() ?? '';
      if (!declared || names.has(name) || found.length === HEADERS_MOST) return false;
      names.add(name);
      found.push(declared);
    }
    const { properties } = schema;
    if (!isObject(properties)) return true;
    return Object.entries(properties).every(([name, property]) => {
      visited += 1;
      if (visited > PROPERTIES_MOST || path.length === DEPTH_MOST) return false;
      return visit(property, [...path, name]);
    });
  };
  return visit(inputSchema, []) ? found : undefined;
}

function declaredBy(
  schema: Readonly<Record<string, unknown>>,
  path: readonly string[],
): ParamHeader | undefined {
  const { type } = schema;
  const name = schema[DECLARATION];
  if (path.length === 0 || typeof name !== 'string' || !TOKEN.test(name)) return undefined;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') return undefined;
  return { header: `Mcp-Param-${name}`, path, type };
}

/** Compares the declared headers of a call with its arguments. Headers that nobody declares pass. */
export function checkParamHeaders(
  headers: HeaderLines,
  declared: readonly ParamHeader[],
  args: unknown,
): HeaderMismatch | undefined {
  for (const row of declared) {
    const found = checkParam(headers, row, textOf(valueAt(args, row.path)));
    if (found) return found;
  }
  return undefined;
}

function checkParam(
  headers: HeaderLines,
  { header, type }: ParamHeader,
  expected: string | undefined,
): HeaderMismatch | undefined {
  const value = headerValue(headers, header);
  switch (value.kind) {
    case 'absent':
      return expected === undefined ? undefined : missing(header, expected);
    case 'repeated':
      return repeated(header);
    case 'invalid':
      return invalid(header, 'has characters that a header cannot have');
    case 'present': {
      const decoded = decodeSentinel(value.text);
      if (decoded === undefined) return invalid(header, 'has no valid Base64 in its markers');
      if (expected === undefined || decoded === expected) return undefined;
      const isSame = type === 'integer' && isSameNumber(decoded, expected);
      return isSame ? undefined : different(header, decoded, expected);
    }
  }
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * An argument as clients write it into a header. Undefined: absent, null, or a value that no header can
 * carry, such as an object or an integer beyond the safe range; no header is expected then.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return String(value);
}

const WHOLE = /^(-?\d{1,32})(?:\.0{1,32})?$/;

/** `42.0` and `42` are the same number. */
function isSameNumber(text: string, expected: string): boolean {
  const [, left] = WHOLE.exec(text) ?? [];
  const [, right] = WHOLE.exec(expected) ?? [];
  return left !== undefined && right !== undefined && BigInt(left) === BigInt(right);
}
