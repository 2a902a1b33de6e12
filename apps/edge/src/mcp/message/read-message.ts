// Reads a JSON-RPC message from a client. What policy decides about is in its body, so a body that two
// parsers may read differently is refused.

import { gatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../../formats';
import { foldCase, isObject } from '../../formats/json';
import { documentSpan, membersOf, type Span } from '../filter/json-spans';
import { createFieldScanner } from './field-scanner';

export type RequestId = string | number;

export interface McpRequestMessage {
  kind: 'request';
  id: RequestId;
  method: string;
  /** The tool, the prompt or the URI of the resource that it names; empty: none. */
  name: string;
  params: JsonObject;
}

export interface McpNotification {
  kind: 'notification';
  method: string;
  params: JsonObject;
}

/** The client's answer to a request of the server. */
export interface McpResponse {
  kind: 'response';
}

export type McpMessage = McpRequestMessage | McpNotification | McpResponse;

const METHOD_CHARACTERS = 128;
const ID_CHARACTERS = 1_024;
/** Longer than any name or URI that policy accepts in a rule. */
const NAME_CHARACTERS = 2_048;

/**
 * All notifications of MCP begin with this. Servers that are not made for MCP alone run any method without
 * an id, so such a message would be a request that policy has not decided about.
 */
const NOTIFICATIONS = 'notifications/';

interface NameField {
  field: 'name' | 'uri';
  /** A server without the method says so itself, whatever the request has. */
  optional?: true;
}

/** Where a method names what it is about. */
const NAME_FIELDS: Readonly<Record<string, NameField | undefined>> = {
  'tools/call': { field: 'name' },
  'prompts/get': { field: 'name' },
  'resources/read': { field: 'uri' },
  'resources/subscribe': { field: 'uri', optional: true },
  'resources/unsubscribe': { field: 'uri', optional: true },
};

/** @throws GatewayError `invalid_request` naming the field */
export function readMessage(body: JsonObject, bytes: Buffer): McpMessage {
  checkFields(bytes);
  if (body['jsonrpc'] !== '2.0') throw wrong('jsonrpc', 'must be "2.0"');
  const { method } = body;
  if (method === undefined) {
    if ('result' in body || 'error' in body) return { kind: 'response' };
    throw wrong('method', 'is required');
  }
  if (typeof method !== 'string' || method === '' || method.length > METHOD_CHARACTERS) {
    throw wrong('method', `must be a text of 1 to ${METHOD_CHARACTERS} characters`);
  }
  const { params = {} } = body;
  if (!isObject(params)) throw wrong('params', 'must be an object');
  checkFieldsWithin(bytes, params);
  if (!('id' in body)) {
    if (method.startsWith(NOTIFICATIONS)) return { kind: 'notification', method, params };
    throw wrong('id', `is required, because the method does not begin with ${NOTIFICATIONS}`);
  }
  return { kind: 'request', id: idOf(body['id']), method, name: nameOf(method, params), params };
}

function idOf(id: unknown): RequestId {
  if (typeof id === 'string' && id.length <= ID_CHARACTERS) return id;
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
  throw wrong('id', `must be a whole number, or a text of at most ${ID_CHARACTERS} characters`);
}

function nameOf(method: string, params: JsonObject): string {
  const rule = Object.hasOwn(NAME_FIELDS, method) ? NAME_FIELDS[method] : undefined;
  if (rule === undefined) return '';
  const { field, optional = false } = rule;
  const name = params[field];
  if (optional && name === undefined) return '';
  if (typeof name === 'string' && name !== '' && name.length <= NAME_CHARACTERS) return name;
  throw wrong(`params.${field}`, `must be a text of 1 to ${NAME_CHARACTERS} characters`);
}

const DECISIVE = namesOf('jsonrpc', 'id', 'method', 'params');
const DECISIVE_PARAMS = namesOf('name', 'uri', 'arguments', '_meta', 'ref', 'notifications');
/** In objects of `params`. */
const DECISIVE_WITHIN: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  ref: namesOf('type', 'name', 'uri'),
  notifications: namesOf('resourceSubscriptions'),
};

/** By their spelling in one case. */
function namesOf(...names: string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [foldCase(name), name]));
}

// Of a field that is sent twice JSON parsers take the first or the last one, and Go's take a name in any
// case. The server would then do something else than was decided about.
function checkFields(bytes: Buffer): void {
  const seen = new Set<string>();
  const scanner = createFieldScanner({
    field: (parent, name) => {
      if (parent === undefined) checkName(seen, '', name, DECISIVE);
      else if (parent === 'params') checkName(seen, 'params.', name, DECISIVE_PARAMS);
      return false;
    },
    value: () => undefined,
  });
  scanner.push(bytes, 0, bytes.length);
}

function checkFieldsWithin(bytes: Buffer, params: JsonObject): void {
  const outer = Object.keys(DECISIVE_WITHIN).filter((name) => isObject(params[name]));
  if (outer.length === 0) return;
  const text = bytes.toString('utf8');
  const spanOf = (name: string, object: Span | undefined): Span | undefined =>
    object && membersOf(text, object)?.find((member) => member.name === name)?.value;
  const paramsSpan = spanOf('params', documentSpan(text));
  for (const name of outer) {
    const span = spanOf(name, paramsSpan);
    const members = (span && membersOf(text, span)) ?? [];
    const seen = new Set<string>();
    for (const member of members) {
      checkName(seen, `params.${name}.`, member.name, DECISIVE_WITHIN[name]);
    }
  }
}

function checkName(
  seen: Set<string>,
  parent: string,
  name: string,
  decisive: ReadonlyMap<string, string> | undefined,
): void {
  const spelling = decisive?.get(foldCase(name));
  if (spelling === undefined) return;
  const path = parent + name;
  if (spelling !== name) throw wrong(path, `must be written as ${spelling}`);
  if (seen.has(path)) throw wrong(path, 'is sent twice');
  seen.add(path);
}

function wrong(param: string, text: string) {
  const shown = param.slice(0, 128);
  return gatewayError('invalid_request', `${shown}: ${text}`, { param: shown });
}
