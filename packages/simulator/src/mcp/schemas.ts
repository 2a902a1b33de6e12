// The schemas of tools and prompts, written as JSON Schema so that lists show them as they are here.

import {
  fromJsonSchema,
  type JsonSchemaType,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';

import type { JsonObject } from '../json';

type Compiled = StandardSchemaWithJSON<JsonObject, JsonObject>;

const COMPILED = new WeakMap<JsonSchemaType, Compiled>();

/** Each is compiled once: the stateless revision makes a server for every request. */
export function compiled(schema: JsonSchemaType): Compiled {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  const made = fromJsonSchema<JsonObject>(schema);
  COMPILED.set(schema, made);
  return made;
}

export const NO_INPUT = optional({});

/** An object with these properties, all optional. */
export function optional(properties: Record<string, object>): JsonSchemaType {
  return { type: 'object', properties };
}

/** An object of texts, all required, with what each means. */
export function texts(descriptions: Record<string, string>): JsonSchemaType {
  const properties = Object.entries(descriptions).map(([name, description]) => [
    name,
    { type: 'string', description },
  ]);
  const required = Object.keys(descriptions);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}
