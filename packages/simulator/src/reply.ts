// The result of an operation: the whole answer of a unary request, the frames of a stream, and the
// items of the bill. delivery.ts decides how much of it is sent.

import type { IncomingHttpHeaders } from 'node:http';

import type { BillBook, BilledUnits, BilledUsage } from './bill';
import type { Upload } from './body';
import type { Directives } from './directives';
import type { JsonObject } from './json';
import type { Memory } from './memory';

/** A request with its key, body and model. */
export interface Call {
  /** Unique; other ids are derived from it. */
  id: string;
  /** Unix time in seconds. */
  atS: number;
  model: string;
  apiKey: string;
  /** The JSON body, or the fields of the form. */
  body: JsonObject;
  files: Upload[];
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
  /** The ids in the path, keyed by parameter name. */
  ids: Readonly<Record<string, string>>;
  /** Bills output that is generated after the request has ended. */
  charge: BillBook['charge'];
  directives: Directives;
  memory: Memory;
}

/** A refusal, written in the caller's format. */
export interface Problem {
  status: number;
  /** `null` if the vendor has none. */
  code: string | null;
  /** In OpenAI's formats; absent: what goes with the status. */
  type?: string;
  message: string;
  param?: string;
}

/** A part of a stream, and the number of tokens generated for it. */
export interface Frame {
  text: string | Buffer;
  tokens: number;
}

export interface Payload {
  type: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

export interface Stream {
  type: string;
  frames: Iterable<Frame>;
  /** The end of a stream without faults, including the terminal event. */
  ending: (usage: BilledUsage | undefined) => string | Buffer;
  /** An error event; undefined: the format has none, so the connection is closed. */
  problem: (problem: Problem) => string | Buffer | undefined;
  /** An unreadable event. */
  garbage: string | Buffer;
  /** Empty if the format has none. */
  keepAlive: string | Buffer;
}

export interface Reply {
  /** The id of the answer; an answer without one is not billed. */
  id?: string;
  /** Tokens of the whole answer, over all choices. */
  tokens: number;
  usage: (generated: number) => BilledUsage;
  units?: BilledUnits;
  /** Processing tiers for the bill; absent: standard. */
  tiers?: string;
  /** If the usage is undefined, it is left out. */
  unary: (usage: BilledUsage | undefined) => Payload;
  /** Present: the request asks for a stream. */
  stream?: Stream;
  /** Called when the answer is complete. */
  done?: () => void;
}

export type Operation = (call: Call) => Reply | Problem;

export function isProblem(result: object): result is Problem {
  return 'status' in result;
}

export function json(value: unknown): Payload {
  return { type: 'application/json', body: JSON.stringify(value) };
}

export function invalid(message: string, param?: string, code = 'invalid_value'): Problem {
  return { status: 400, code, message, ...(param === undefined ? {} : { param }) };
}

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';
export const COMMENT = ': keep-alive\n\n';
export const GARBAGE = 'data: {"this is not": the event\n\n';
