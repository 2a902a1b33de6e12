// Converts zod issues to an error that a client can act on: the path of the field and what is
// wrong, in one sentence.

import { gatewayError } from '@tollgate/contracts';
import { z } from 'zod';

import { LIST_LIMITS } from '../json/limits';
import { foldCase, isObject, isRawNumber, type RawNumber } from './json';
import type { JsonObject } from './normalised';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** An integer of any length. */
export const wholeNumber = z.union([z.int(), z.custom<RawNumber>(isRawNumber)], {
  error: 'must be a whole number',
});

/**
 * A list that is parsed up to its first invalid element. A zod list collects an issue for each one,
 * which takes seconds for a hundred thousand.
 */
export function list<S extends z.ZodType>(item: S, most: number = LIST_LIMITS.parts) {
  return z
    .array(z.unknown())
    .max(most, `must hold at most ${most} elements`)
    .transform((elements, context): z.output<S>[] => {
      const read: z.output<S>[] = [];
      for (const [index, element] of elements.entries()) {
        const result = item.safeParse(element);
        if (result.success) {
          read.push(result.data);
          continue;
        }
        const [first] = result.error.issues;
        if (first) {
          const path = [index, ...first.path];
          // The message and branches are those of the element's own schema.
          context.issues.push({ ...first, path, input: element } as z.core.$ZodRawIssue);
        }
        return z.NEVER;
      }
      return read;
    });
}

/** A list with at least one element. */
export function filledList<S extends z.ZodType>(item: S, message: string, most?: number) {
  return z.array(z.unknown()).min(1, message).pipe(list(item, most));
}

/**
 * Parses a client's payload.
 * @throws GatewayError `invalid_request`, naming the field
 */
export function parsePayload<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) {
    if (schema instanceof z.ZodObject && isObject(value)) checkSpelling(schema, value);
    return result.data;
  }
  const [first] = result.error.issues;
  if (first === undefined) throw gatewayError('invalid_request', 'The request body is not valid.');
  const { path, message } = deepest(first, []);
  const param = formatPath(path);
  const text = param === '' ? message : `${param}: ${message}`;
  throw gatewayError('invalid_request', text, param === '' ? {} : { param });
}

/** Fields that decide what is held, granted or charged, and that are read beside the schemas. */
const DECISIVE = [
  'compaction',
  'context_management',
  'conversation',
  'documents',
  'echo',
  'images',
  'inference_geo',
  'max_tool_calls',
  'mcp_servers',
  'plugins',
  'previous_response_id',
  'prompt',
  'queries',
  'query',
  'search_parameters',
  'service_tier',
  'speed',
  'tools',
  'web_search_options',
];
const spellings = new WeakMap<z.ZodObject, ReadonlyMap<string, string>>();

/**
 * Fields that the gateway does not know go upstream as they are, and a server in Go takes a name in any case: its `Model`
 * would replace the `model` that was decided about. Names within other fields are not compared.
 */
function checkSpelling(schema: z.ZodObject, payload: JsonObject): void {
  for (const name in payload) {
    if (Object.hasOwn(schema.shape, name)) continue;
    let known = spellings.get(schema);
    if (known === undefined) {
      const names = [...DECISIVE, ...Object.keys(schema.shape)];
      known = new Map(names.map((field) => [foldCase(field), field]));
      spellings.set(schema, known);
    }
    const meant = known.get(foldCase(name));
    if (meant === undefined || meant === name) continue;
    const text = `${name}: the name of this field is ${meant}`;
    throw gatewayError('invalid_request', text, { param: name });
  }
}

/** Formats a path as clients write it: `messages[2].content[0].image_url.url`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

/**
 * The error of a union is that of its closest branch: the one with the deepest issue.
 */
function deepest(issue: Issue, prefix: Path): { path: Path; message: string } {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys' && issue.keys[0] !== undefined) {
    return { path: [...path, issue.keys[0]], message: 'unknown field' };
  }
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  const branches = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map((branch) => deepest(branch, path))
    .sort((a, b) => b.path.length - a.path.length);
  const [best] = branches;
  if (best !== undefined && best.path.length > path.length) return best;
  const messages = new Set(branches.map((branch) => branch.message));
  return { path, message: messages.size > 0 ? [...messages].join(', or ') : issue.message };
}
