// Converts the vendor's older OpenAPI schemas to JSON Schema. The reverse is not needed: every
// field for such a schema has a newer counterpart for JSON Schema.

import { isObject } from '../json';
import type { JsonObject } from '../normalised';

/** Keywords with nested schemas: one, a list, or a map. */
const WITHIN: ReadonlySet<string> = new Set(['items', 'anyOf', 'prefixItems', 'not', 'oneOf']);
const MAPS: ReadonlySet<string> = new Set(['properties', 'defs', '$defs']);
/** 64-bit numbers, which protocol buffer JSON writes as text. */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);
const RENAMED: Readonly<Record<string, string>> = {
  any_of: 'anyOf',
  min_items: 'minItems',
  max_items: 'maxItems',
  min_length: 'minLength',
  max_length: 'maxLength',
  min_properties: 'minProperties',
  max_properties: 'maxProperties',
  additional_properties: 'additionalProperties',
  property_ordering: 'propertyOrdering',
  defs: '$defs',
  ref: '$ref',
};
/** Only an output order, which other vendors do not have. */
const ORDERING = 'propertyOrdering';
const UNSPECIFIED = 'TYPE_UNSPECIFIED';

export function toJsonSchema(schema: JsonObject): JsonObject {
  const converted: JsonObject = {};
  for (const [spelled, value] of Object.entries(schema)) {
    const key = RENAMED[spelled] ?? spelled;
    if (value === null || key === 'nullable' || key === ORDERING) continue;
    if (key === 'type') {
      if (value !== UNSPECIFIED) converted['type'] = lowerCase(value);
    } else if (MAPS.has(key) && isObject(value)) {
      converted[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, within(inner)]),
      );
    } else if (WITHIN.has(key)) converted[key] = within(value);
    else if (key === 'additionalProperties' && isObject(value)) converted[key] = within(value);
    else if (COUNTS.has(key) && typeof value === 'string') converted[key] = Number(value);
    else converted[key] = value;
  }
  return schema['nullable'] === true ? orNull(converted) : converted;
}

function within(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(within);
  return isObject(value) ? toJsonSchema(value) : value;
}

function lowerCase(type: unknown): unknown {
  return typeof type === 'string' ? type.toLowerCase() : type;
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values, anyOf } = schema;
  const widened = { ...schema };
  if (typeof type === 'string') widened['type'] = [type, 'null'];
  if (Array.isArray(values)) widened['enum'] = [...(values as unknown[]), null];
  if (Array.isArray(anyOf)) widened['anyOf'] = [...(anyOf as unknown[]), { type: 'null' }];
  return widened;
}
