// Watches the bytes of an upstream's answer for the JSON-RPC response to one request. The bytes themselves
// are passed on by others. Memory is constant, whatever the size of a result, a line or an event.

import { createFieldScanner, type FieldScanner } from '../message/field-scanner';
import type { RequestId } from '../message/read-message';

/** What the record tells of a response. */
export interface RpcResponse {
  /** Undefined: it is a result. */
  errorCode: number | undefined;
  /** The result of a tool says that the tool failed. */
  isError: boolean;
  /** Empty: complete. */
  resultType: string;
  /** Of the result of `initialize`; empty: none. */
  protocolVersion: string;
}

export interface ResponseTap {
  push: (chunk: Buffer) => void;
  /** The body is complete. */
  end: () => void;
  response: () => RpcResponse | undefined;
  /** The stream has an event with an id, so that it can be resumed where it ended. */
  resumable: () => boolean;
}

/** Watches a body that is one JSON document. */
export function createJsonTap(id: RequestId): ResponseTap {
  const reader = createMessageReader(id);
  let response: RpcResponse | undefined;
  return {
    push: (chunk) => reader.push(chunk, 0, chunk.length),
    end: () => {
      response ??= reader.end();
    },
    response: () => response,
    resumable: () => false,
  };
}

const LF = 10;
const CR = 13;
const COLON = 0x3a;
const SPACE = 0x20;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';
/** The names of fields that matter, after a byte order mark. */
const FIELD_BYTES = 8;

interface SseState {
  readonly reader: MessageReader;
  /** The name of the field that the line starts with, as far as it was read. */
  field: string;
  part: 'name' | 'blank' | 'data' | 'other';
  lineBytes: number;
  afterCr: boolean;
  /** No line has ended yet. */
  first: boolean;
  /** The event has a data line. */
  hasData: boolean;
  resumable: boolean;
  response: RpcResponse | undefined;
}

/** Watches a stream of server-sent events. */
export function createSseTap(id: RequestId): ResponseTap {
  const state: SseState = {
    reader: createMessageReader(id),
    field: '',
    part: 'name',
    lineBytes: 0,
    afterCr: false,
    first: true,
    hasData: false,
    resumable: false,
    response: undefined,
  };
  return {
    push: (chunk) => {
      // Each byte is searched once for each of the two line ends.
      const ends = { lf: -1, cr: -1 };
      for (let at = 0; at < chunk.length;) at = readLine(state, chunk, at, ends);
    },
    // An event without its blank line is not dispatched.
    end: () => undefined,
    response: () => state.response,
    resumable: () => state.resumable,
  };
}

/** Reads to the end of a line or of the chunk, and returns the offset after it. */
function readLine(
  state: SseState,
  chunk: Buffer,
  start: number,
  ends: { lf: number; cr: number },
): number {
  if (state.afterCr) {
    state.afterCr = false;
    if (chunk[start] === LF) return start + 1;
  }
  if (ends.lf < start) ends.lf = endAt(chunk, LF, start);
  if (ends.cr < start) ends.cr = endAt(chunk, CR, start);
  const end = Math.min(ends.lf, ends.cr);
  state.lineBytes += end - start;
  let at = start;
  while (state.part === 'name' && at < end) {
    const byte = chunk[at] ?? 0;
    at += 1;
    if (byte === COLON) startValue(state);
    else if (state.field.length < FIELD_BYTES) state.field += String.fromCharCode(byte);
    else state.part = 'other';
  }
  if (state.part === 'blank' && at < end) {
    if (chunk[at] === SPACE) at += 1;
    state.part = 'data';
  }
  if (state.part === 'data') state.reader.push(chunk, at, end);
  if (end === chunk.length) return end;
  state.afterCr = chunk[end] === CR;
  endLine(state);
  return end + 1;
}

function endAt(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

function startValue(state: SseState): void {
  const field = state.first ? state.field.replace(BYTE_ORDER_MARK, '') : state.field;
  if (field === 'id') state.resumable = true;
  const isData = field === 'data';
  if (isData) state.hasData = true;
  state.part = isData ? 'blank' : 'other';
}

const LINE_FEED = Buffer.from('\n');

function endLine(state: SseState): void {
  if (state.lineBytes === 0) {
    if (state.hasData) state.response ??= state.reader.end();
    else state.reader.end();
    state.hasData = false;
  } else if (state.part === 'data' || state.part === 'blank') {
    state.reader.push(LINE_FEED, 0, 1);
  }
  state.first = false;
  state.field = '';
  state.part = 'name';
  state.lineBytes = 0;
}

interface MessageReader {
  push: (chunk: Buffer, start: number, end: number) => void;
  /** Ends the message, and starts the next one. Undefined: it is not the wanted response. */
  end: () => RpcResponse | undefined;
}

interface Found {
  id: unknown;
  isResponse: boolean;
  hasMethod: boolean;
  response: RpcResponse;
}

function createMessageReader(id: RequestId): MessageReader {
  let scanner: FieldScanner | undefined;
  let found: Found = nothing();

  const start = (): FieldScanner => {
    found = nothing();
    return createFieldScanner({
      field: (parent, name) => wants(found, parent, name),
      value: (parent, name, json) => take(found, parent, name, json),
    });
  };
  return {
    push: (chunk, from, to) => {
      scanner ??= start();
      scanner.push(chunk, from, to);
    },
    end: () => {
      const complete = scanner?.complete() ?? false;
      scanner = undefined;
      // A request of the server may have the same id.
      const matches = complete && found.isResponse && !found.hasMethod && found.id === id;
      return matches ? found.response : undefined;
    },
  };
}

function nothing(): Found {
  return {
    id: undefined,
    isResponse: false,
    hasMethod: false,
    response: { errorCode: undefined, isError: false, resultType: '', protocolVersion: '' },
  };
}

const RESULT_FIELDS: ReadonlySet<string> = new Set(['isError', 'resultType', 'protocolVersion']);

function wants(found: Found, parent: string | undefined, name: string): boolean {
  if (parent === 'result') return RESULT_FIELDS.has(name);
  if (parent === 'error') return name === 'code';
  if (parent !== undefined) return false;
  if (name === 'method') found.hasMethod = true;
  if (name === 'result') found.isResponse = true;
  return name === 'id' || name === 'error';
}

/** The code of an error without a readable one: internal error. */
const INTERNAL_ERROR = -32_603;
const WORD_CHARACTERS = 64;
const INT32 = 2 ** 31;

function take(
  found: Found,
  parent: string | undefined,
  name: string,
  json: string | undefined,
): void {
  const value = parsed(json);
  const { response } = found;
  if (parent === undefined && name === 'id') found.id = value;
  else if (parent === undefined && name === 'error' && value !== null) {
    found.isResponse = true;
    response.errorCode ??= INTERNAL_ERROR;
  } else if (name === 'code') response.errorCode = codeOf(value);
  else if (name === 'isError') response.isError = value === true;
  else if (name === 'resultType') response.resultType = wordOf(value);
  else if (name === 'protocolVersion') response.protocolVersion = wordOf(value);
}

function codeOf(value: unknown): number {
  const fits = Number.isInteger(value) && Math.abs(Number(value)) < INT32 && value !== 0;
  return fits ? Number(value) : INTERNAL_ERROR;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, WORD_CHARACTERS) : '';
}

function parsed(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
