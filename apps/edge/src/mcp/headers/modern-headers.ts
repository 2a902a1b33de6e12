// Compares the headers of a message with its body.

import { objectOf } from '../../formats/json';
import { claimedVersion, eraOf, FIRST_MODERN_REVISION, isModern, VERSION_HEADER } from './era';
import { headerValue, type HeaderLines } from './header-lines';
import { different, invalid, missing, repeated, type HeaderMismatch } from './mismatch';
import { checkParamHeaders, type ParamHeader } from './param-headers';
import { decodeSentinel } from './sentinel';

/** A parsed message with a method. */
export interface CheckedMessage {
  readonly kind: 'request' | 'notification';
  readonly method: string;
  readonly params: unknown;
}

const METHOD_HEADER = 'Mcp-Method';
const NAME_HEADER = 'Mcp-Name';

interface NameRule {
  readonly field: string;
  /** The core specification requires the header. For methods of extensions that is up to the server. */
  readonly required: boolean;
}

const NAME_RULES: Readonly<Record<string, NameRule | undefined>> = {
  'tools/call': { field: 'name', required: true },
  'prompts/get': { field: 'name', required: true },
  'resources/read': { field: 'uri', required: true },
  'tasks/get': { field: 'taskId', required: false },
  'tasks/update': { field: 'taskId', required: false },
  'tasks/cancel': { field: 'taskId', required: false },
};

/**
 * The first header that is missing, malformed or different from the body; undefined: none, and always
 * for messages of the legacy era. `paramHeaders` are those that the called tool declares; absent: the
 * tool's definition is unknown, and its headers are left to the server.
 *
 * Everything that a server answers with another error is left to it as well: a body without a revision
 * under a modern header, and the headers that a revision unknown here requires. What is sent must agree
 * in these cases too.
 */
export function checkModernHeaders(
  headers: HeaderLines,
  message: CheckedMessage,
  paramHeaders?: readonly ParamHeader[],
): HeaderMismatch | undefined {
  const claimed = claimedVersion(message);
  const version = claimed.kind === 'text' ? claimed.text : undefined;
  const isRequired = version === FIRST_MODERN_REVISION && message.kind === 'request';
  const found = checkVersion(headers, version, isRequired);
  if (found || eraOf(headers, message) === 'legacy') return found;
  return (
    checkMethod(headers, message.method, isRequired) ??
    checkName(headers, message, isRequired) ??
    (message.method === 'tools/call' && paramHeaders
      ? checkParamHeaders(headers, paramHeaders, objectOf(message.params)?.['arguments'])
      : undefined)
  );
}

function checkVersion(
  headers: HeaderLines,
  version: string | undefined,
  isRequired: boolean,
): HeaderMismatch | undefined {
  const value = headerValue(headers, VERSION_HEADER);
  if (version === undefined)
    return value.kind === 'repeated' ? repeated(VERSION_HEADER) : undefined;
  switch (value.kind) {
    case 'absent':
      return isRequired ? missing(VERSION_HEADER, version) : undefined;
    case 'repeated':
      return repeated(VERSION_HEADER);
    case 'invalid':
      return invalid(VERSION_HEADER, INVALID_CHARACTERS);
    case 'present': {
      const isChecked = isModern(version) || isModern(value.text);
      return isChecked && value.text !== version
        ? different(VERSION_HEADER, value.text, version)
        : undefined;
    }
  }
}

const INVALID_CHARACTERS = 'has characters that a header cannot have';

function checkMethod(
  headers: HeaderLines,
  method: string,
  isRequired: boolean,
): HeaderMismatch | undefined {
  const value = headerValue(headers, METHOD_HEADER);
  switch (value.kind) {
    case 'absent':
      return isRequired ? missing(METHOD_HEADER, method) : undefined;
    case 'repeated':
      return repeated(METHOD_HEADER);
    case 'invalid':
      return invalid(METHOD_HEADER, INVALID_CHARACTERS);
    case 'present':
      return value.text === method ? undefined : different(METHOD_HEADER, value.text, method);
  }
}

function checkName(
  headers: HeaderLines,
  { method, params }: CheckedMessage,
  isRequired: boolean,
): HeaderMismatch | undefined {
  const rule = Object.hasOwn(NAME_RULES, method) ? NAME_RULES[method] : undefined;
  if (!rule) return undefined;
  const named = objectOf(params)?.[rule.field];
  const name = typeof named === 'string' ? named : undefined;
  const value = headerValue(headers, NAME_HEADER);
  switch (value.kind) {
    case 'absent':
      return isRequired && rule.required && name !== undefined
        ? missing(NAME_HEADER, name)
        : undefined;
    case 'repeated':
      return repeated(NAME_HEADER);
    case 'invalid':
      return invalid(NAME_HEADER, INVALID_CHARACTERS);
    case 'present': {
      const decoded = decodeSentinel(value.text);
      if (decoded === undefined) return invalid(NAME_HEADER, 'has no valid Base64 in its markers');
      return name === undefined || decoded === name
        ? undefined
        : different(NAME_HEADER, decoded, name);
    }
  }
}
