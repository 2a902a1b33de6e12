// Which era of MCP a message belongs to. Up to revision 2025-11-25 a session starts with `initialize`;
// since 2026-07-28 each request names its revision in `_meta`, and there are no sessions.

import { isObject, objectOf } from '../../formats/json';
import { headerValue, type HeaderLines } from './header-lines';

export type Era = 'legacy' | 'modern';

/** The first revision without sessions. Revisions are dates, so they compare as texts. */
export const FIRST_MODERN_REVISION = '2026-07-28';
export const VERSION_HEADER = 'MCP-Protocol-Version';
const VERSION_FIELD = 'io.modelcontextprotocol/protocolVersion';

/** A message with a method; undefined: a response, or a request without a body. */
export type Message = { readonly method: string; readonly params: unknown } | undefined;

/** What a body says of its revision: a text, something else, or nothing. */
export type ClaimedVersion =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'garbled' };

export function claimedVersion(message: Message): ClaimedVersion {
  const meta = objectOf(message?.params)?.['_meta'];
  if (!isObject(meta) || !Object.hasOwn(meta, VERSION_FIELD)) return { kind: 'none' };
  const value = meta[VERSION_FIELD];
  return typeof value === 'string' ? { kind: 'text', text: value } : { kind: 'garbled' };
}

export function isModern(version: string): boolean {
  return version >= FIRST_MODERN_REVISION;
}

/** The body decides, and the header only where the body has no say. */
export function eraOf(headers: HeaderLines, message: Message): Era {
  const claimed = claimedVersion(message);
  if (claimed.kind === 'text') return isModern(claimed.text) ? 'modern' : 'legacy';
  if (claimed.kind === 'garbled') return 'modern';
  if (message?.method === 'initialize') return 'legacy';
  const header = headerValue(headers, VERSION_HEADER);
  return header.kind === 'present' && isModern(header.text) ? 'modern' : 'legacy';
}

/** Longer texts are no revision, and would fill records. */
const VERSION_SHAPE = /^[\x21-\x7e]{1,32}$/;

/**
 * The revision that a message names: in its `_meta`, in the params of `initialize`, or in its header.
 * Empty: none, so that it is that of the session.
 */
export function protocolVersionOf(headers: HeaderLines, message: Message): string {
  const claimed = claimedVersion(message);
  if (claimed.kind === 'text') return shaped(claimed.text);
  if (message?.method === 'initialize') {
    const asked = objectOf(message.params)?.['protocolVersion'];
    return typeof asked === 'string' ? shaped(asked) : '';
  }
  const header = headerValue(headers, VERSION_HEADER);
  return header.kind === 'present' ? shaped(header.text) : '';
}

function shaped(version: string): string {
  return VERSION_SHAPE.test(version) ? version : '';
}
