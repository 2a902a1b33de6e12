// What of a recorded request is kept: its shape. Keys, ids and places are replaced, and long texts are their
// length only, because the prompts of an agent are its maker's.

import type { IncomingHttpHeaders } from 'node:http';

import type { RecordedRequest } from './recorder';

export interface Fixture {
  readonly client: string;
  readonly version: string;
  /** The day it was recorded. */
  readonly recorded: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly requests: readonly RecordedRequest[];
}

/** Texts up to this length are kept, unless a prompt is in them. */
const KEPT_CHARACTERS = 64;
const FILLED = /^<(\d+) characters>$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const ZERO_ID = '00000000-0000-4000-8000-000000000000';
const HEX_ID = /[0-9a-f]{32,}/g;
const LEFT_OUT = /^(?:authorization|x-api-key|host|content-length|connection|sec-websocket-key)$/;

export function scrubbed(request: RecordedRequest): RecordedRequest {
  const { messages } = request;
  return {
    ...request,
    headers: scrubHeaders(request.headers),
    body: scrub(request.body),
    ...(messages ? { messages: messages.map(scrub) } : {}),
  };
}

function scrubHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !LEFT_OUT.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutIds(String(value))]));
}

function scrub(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length <= KEPT_CHARACTERS
      ? withoutIds(value)
      : `<${String(value.length)} characters>`;
  }
  if (Array.isArray(value)) return value.map(scrub);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, scrub(inner)]));
}

function withoutIds(text: string): string {
  return text.replace(UUID, ZERO_ID).replace(HEX_ID, (id) => '0'.repeat(id.length));
}

/** The request as it is sent again: texts have their length back. */
export function filled(value: unknown): unknown {
  if (typeof value === 'string') {
    const [, length] = FILLED.exec(value) ?? [];
    return length === undefined
      ? value
      : 'text '.repeat(Number(length) / 5 + 1).slice(0, Number(length));
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]));
}
