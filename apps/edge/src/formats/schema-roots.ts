// The root of a schema, which vendors accept only as an object, and whether a schema can be
// enforced unchanged.

import { isObject, isRawNumber } from './json';
import type { JsonObject } from './normalised';
import { describe, inWords, isObjectSchema } from './schema-rules';
import { WRAPPED_PROPERTY } from './wrapped-answer';

/** Choices among schemas, which no vendor accepts at the root. */
const CHOICES = ['allOf', 'anyOf', 'oneOf', 'not', 'enum', '$ref'];

/** Whether the root says that answers are objects. An empty schema stays unchanged. */
export function isObjectRoot(schema: JsonObject): boolean {
  if (Object.keys(schema).length === 0) return true;
  if (Array.isArray(schema['type'])) return false;
  return isObjectSchema(schema) && !CHOICES.some((keyword) => schema[keyword] !== undefined);
}

const DEFINITIONS = ['$defs', 'definitions', '$schema'];

/**
 * Wraps the schema as the one property of an object. Its definitions stay where references find
 * them.
 */
export function wrapRoot(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema);
  const isDefinition = ([keyword]: [string, unknown]): boolean => DEFINITIONS.includes(keyword);
  const definitions = entries.filter(isDefinition);
  const value = Object.fromEntries(entries.filter((entry) => !isDefinition(entry)));
  return {
    ...(moveReferences(Object.fromEntries(definitions)) as JsonObject),
    type: 'object',
    properties: { [WRAPPED_PROPERTY]: moveReferences(value) },
    required: [WRAPPED_PROPERTY],
    additionalProperties: false,
  };
}

/** References to the root or into it are redirected to the property. */
function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [
      key,
      key === '$ref' && typeof held === 'string' ? movedReference(held) : moveReferences(held),
    ]),
  );
}

function movedReference(reference: string): string {
  const within = /^#(?=$|\/(?!(?:\$defs|definitions)\/))/;
  return reference.replace(within, `#/properties/${WRAPPED_PROPERTY}`);
}

/**
 * Whether a vendor that requires every property can enforce a schema: no property is optional, and
 * none has an arbitrary name.
 */
export function isFullyRequired(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isFullyRequired);
  if (!isObject(schema)) return true;
  if (isObjectSchema(schema)) {
    const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const names = Object.keys(properties);
    if (!names.every((name) => required.includes(name))) return false;
    const open = schema['additionalProperties'];
    if (isObject(open) || (open === true && names.length === 0)) return false;
  }
  return Object.entries(schema).every(([keyword, held]) => {
    if (MAPS.has(keyword) && isObject(held)) return Object.values(held).every(isFullyRequired);
    return HOLDERS.has(keyword) ? isFullyRequired(held) : true;
  });
}

const MAPS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'properties']);
const HOLDERS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);

/**
 * Function parameters for vendors that accept only an object without a choice at its root: the
 * choice becomes a description, and the properties of all branches are allowed.
 */
export function withPlainRoot(
  parameters: JsonObject,
  report: (keyword: string) => void,
): JsonObject {
  const choices = ['allOf', 'anyOf', 'oneOf'].filter((key) => Array.isArray(parameters[key]));
  if (choices.length === 0) return parameters;
  const plain: JsonObject = { type: 'object', ...parameters };
  const properties: JsonObject = { ...propertiesOf(parameters) };
  const words: string[] = [];
  for (const keyword of choices) {
    const branches = parameters[keyword] as unknown[];
    for (const branch of branches) {
      for (const [name, schema] of Object.entries(propertiesOf(branch))) {
        properties[name] ??= schema;
      }
    }
    words.push(inWords(keyword, branches));
    delete plain[keyword];
    report(keyword);
  }
  return { ...plain, properties, description: describe(parameters['description'], words) };
}

function propertiesOf(schema: unknown): JsonObject {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : {};
}
