// How servers in other languages read a message. Go's JSON parser takes names in any case, and the last of
// several; libraries for JSON-RPC that know nothing of MCP run a method without an id as well.

import { objectOf, type JsonObject } from '../json';

const NAMES = ['id', 'jsonrpc', 'method', 'name', 'notifications', 'params', 'ref', 'type', 'uri'];
const WITHIN = ['notifications', 'params', 'ref'];

/** The message as such a server reads it. Undefined: the body is no message. */
export function readLoosely(body: unknown): JsonObject | undefined {
  const message = objectOf(body);
  return message && { id: 0, ...folded(message) };
}

function folded(object: JsonObject): JsonObject {
  const read: JsonObject = {};
  for (const [written, value] of Object.entries(object)) {
    const lower = written.toLowerCase();
    const name = NAMES.includes(lower) ? lower : written;
    const inner = WITHIN.includes(name) ? objectOf(value) : undefined;
    read[name] = inner ? folded(inner) : value;
  }
  return read;
}
