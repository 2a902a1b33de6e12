// What an operation gives to be delivered: the whole answer for a unary request, its frames for a
// stream, and what goes on the bill. Delivery (delivery.ts) decides how much of it arrives.

import type { IncomingHttpHeaders } from 'node:http';
import type { BillBook, BilledUnits, BilledUsage } from './bill';
import type { Upload } from './body';
import type { Directives } from './directives';
import type { JsonObject } from './json';
import type { Memory } from './memory';

/** A request whose key, body and model are there. */
export interface Call {
  /** Unique; makes the ids. */
  id: string;
  /** Since 1970, in seconds. */
  atS: number;
  model: string;
  apiKey: string;
  /** The JSON body, or the fields of the form. */
  body: JsonObject;
  files: Upload[];
  headers: IncomingHttpHeaders;
  query: URLSearchParams;
  /** From the path, by the names of their places. */
  ids: Readonly<Record<string, string>>;
  /** Puts on the bill what is generated when the request is over. */
  charge: BillBook['charge'];
  directives: Directives;
  memory: Memory;
}

/** A refusal, to be written in the format of the caller. */
export interface Problem {
  status: number;
  /** `null` where the vendor has none. */
  code: string | null;
  message: string;
  param?: string;
}

/** A part of a stream, and how many tokens were generated for it. */
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
  /** What comes after the last frame when all is well, the terminal event included. */
  ending: (usage: BilledUsage | undefined) => string;
  /** An error event; undefined: the format has none, and the connection breaks. */
  problem: (problem: Problem) => string | undefined;
  /** An event that cannot be read. */
  garbage: string;
  /** Empty where the format has none. */
  keepAlive: string;
}

export interface Reply {
  /** The id of the answer; without one it is not on the bill. */
  id?: string;
  /** Tokens of the whole answer, all choices. */
  tokens: number;
  usage: (generated: number) => BilledUsage;
  units?: BilledUnits;
  /** Undefined usage is to be kept quiet. */
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
