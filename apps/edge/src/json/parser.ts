// Parses documents from outside: within limits that are checked before anything is built, and off
// the event loop if they are large.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@tollgate/kit';

import { OFF_LOOP_FROM_BYTES } from './limits';
import { LONG_NUMBERS_MOST } from './long-numbers';
import {
  findExcess,
  syntaxPlace,
  type JsonExcess,
  type JsonLimits,
  type SyntaxPlace,
} from './scan';
import type { Parsed, Question, Written } from './thread';

export interface JsonParser {
  /**
   * Returns the value and its bytes, synchronously for small documents. The given bytes must not be
   * used afterwards: those of a large document are moved to the thread and returned as others.
   * @throws JsonTooLarge, JsonSyntax, ParserFailed; a promise rejects with them
   */
  parse: (bytes: Buffer, options: ParseOptions) => JsonDocument | Promise<JsonDocument>;
  /**
   * Serialises the value as JSON in UTF-8, on the thread.
   * @throws ParserFailed
   */
  write: (value: unknown) => Promise<Buffer>;
  stop: () => Promise<void>;
}

export interface ParseOptions {
  limits: JsonLimits;
  /**
   * Only counts will be read, so a large document is returned without long texts and lists of
   * numbers.
   */
  countsOnly?: boolean;
  /** The bytes are not needed, so a large document is returned without them. */
  dropBytes?: boolean;
}

export interface JsonDocument {
  value: unknown;
  bytes: Buffer;
  /** The document is large, so it should be serialised on the thread as well. */
  offLoop?: boolean;
}

/** The document exceeds a limit. */
export class JsonTooLarge extends Error {
  override readonly name = 'JsonTooLarge';
  constructor(readonly excess: JsonExcess) {
    super(`more than ${excess.most} ${excess.limit}`);
  }
}

/** The document is not JSON. */
export class JsonSyntax extends Error {
  override readonly name = 'JsonSyntax';
  constructor(
    readonly place: SyntaxPlace | undefined,
    readonly empty: boolean,
  ) {
    super('not JSON');
  }
}

/** The thread ended before it answered. */
export class ParserFailed extends Error {
  override readonly name = 'ParserFailed';
}

/** The parsing thread, as far as it is used. */
export interface ParsingThread {
  on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => unknown;
  postMessage: (question: Question, transferred: ArrayBuffer[]) => void;
  terminate: () => Promise<unknown>;
}

/** Preserves integers that a number cannot hold. */
export interface LongNumbers {
  /** @throws SyntaxError; RangeError for too many long numbers */
  parse: (text: string) => unknown;
  /** The prefix of long numbers in a marked text. */
  mark: string;
  /** Restores them in the value of a marked text. */
  restore: (value: unknown) => unknown;
}

export interface JsonParserDeps {
  log: Pick<Logger, 'error'>;
  /** Preserves the digits of long numbers. */
  long: LongNumbers;
  start?: () => ParsingThread;
}

const TOO_MANY_LONG: JsonExcess = { limit: 'longNumbers', most: LONG_NUMBERS_MOST, field: '' };

/** Several times the memory of the largest document within the limits. */
const THREAD_MEMORY_MB = 512;

interface Waiting {
  parsed: (answer: Parsed) => void;
  written: (bytes: Buffer) => void;
  reject: (error: Error) => void;
}

/**
 * A thread that has handled documents of this size together is ended when it is idle: its garbage
 * stays in the process for as long as it lives, because an idle thread collects none.
 */
const RETIRED_FROM_BYTES = 4 * 1024 * 1024;
const unused = (): void => undefined;

interface Parser {
  readonly log: JsonParserDeps['log'];
  readonly long: LongNumbers;
  readonly start: () => ParsingThread;
  readonly waiting: Map<number, Waiting>;
  asked: number;
  thread: ParsingThread | undefined;
  /** The bytes that the thread has parsed and written. */
  handledBytes: number;
}

export function createJsonParser({ log, long, start = startThread }: JsonParserDeps): JsonParser {
  const parser: Parser = {
    log,
    long,
    start,
    waiting: new Map(),
    asked: 0,
    thread: undefined,
    handledBytes: 0,
  };
  return {
    parse: (bytes, options) => {
      if (bytes.length > OFF_LOOP_FROM_BYTES) return parseThere(parser, bytes, options);
      const excess = findExcess(bytes, options.limits);
      if (excess) throw new JsonTooLarge(excess);
      return parseHere(long, bytes);
    },
    write: (value) => write(parser, value),
    stop: async () => {
      const running = parser.thread;
      if (!running) return;
      lose(parser, running);
      await running.terminate();
    },
  };
}

function parseHere(long: LongNumbers, bytes: Buffer): JsonDocument {
  const text = bytes.toString('utf8');
  try {
    return { value: long.parse(text), bytes };
  } catch (error) {
    if (error instanceof RangeError) throw new JsonTooLarge(TOO_MANY_LONG);
    throw new JsonSyntax(syntaxPlace(text, error), text.trim() === '');
  }
}

function parseThere(
  parser: Parser,
  bytes: Buffer,
  { limits, countsOnly = false, dropBytes = false }: ParseOptions,
): Promise<JsonDocument> {
  const { long } = parser;
  return new Promise<Parsed>((parsed, reject) => {
    const own = ownBytes(bytes);
    const asks = { limits, countsOnly, dropBytes, longMark: long.mark };
    parser.handledBytes += own.length;
    const question = { id: parser.asked++, bytes: own, ...asks };
    ask(parser, { parsed, written: unused, reject }, question, [own.buffer]);
  }).then((parsed) => documentOf(long, parsed));
}

function documentOf(long: LongNumbers, parsed: Parsed): JsonDocument {
  if ('excess' in parsed) throw new JsonTooLarge(parsed.excess);
  if ('syntax' in parsed) throw new JsonSyntax(parsed.syntax, parsed.empty);
  const bytes = Buffer.from(parsed.bytes.buffer, 0, parsed.bytes.byteLength);
  return parsed.marked
    ? { value: long.restore(parsed.value), bytes }
    : { value: parsed.value, bytes, offLoop: true };
}

function write(parser: Parser, value: unknown): Promise<Buffer> {
  return new Promise((written, reject) => {
    const id = parser.asked++;
    try {
      ask(parser, { parsed: unused, written, reject }, { id, write: value }, []);
    } catch (error) {
      // Long numbers, as in arguments of tool calls, cannot be cloned to a thread.
      if (!(error instanceof DOMException)) throw error;
      parser.waiting.delete(id);
      written(Buffer.from(JSON.stringify(value)));
    }
  });
}

function answer(parser: Parser, said: Parsed | Written): void {
  const question = parser.waiting.get(said.id);
  if (!question) return;
  parser.waiting.delete(said.id);
  const moved = 'written' in said ? said.written : said.bytes;
  const bytes = Buffer.from(moved.buffer, 0, moved.byteLength);
  if ('written' in said) parser.handledBytes += moved.byteLength;
  if (parser.handledBytes > RETIRED_FROM_BYTES && parser.waiting.size === 0) retire(parser);
  if ('written' in said) question.written(bytes);
  else question.parsed(said);
}

// The idle thread ends; the next document starts another.
function retire(parser: Parser): void {
  const retired = parser.thread;
  parser.thread = undefined;
  parser.handledBytes = 0;
  retired
    ?.terminate()
    .catch((error: unknown) => parser.log.error('worker thread did not end', { error }));
}

function lose(parser: Parser, lost: ParsingThread, error?: unknown): void {
  if (parser.thread !== lost) return;
  parser.thread = undefined;
  if (error !== undefined) parser.log.error('parser thread failed', { error });
  const failed = new ParserFailed('the parser thread ended');
  for (const { reject } of parser.waiting.values()) reject(failed);
  parser.waiting.clear();
}

function attachThread(parser: Parser): ParsingThread {
  const started = parser.start();
  started.on('message', (said) => answer(parser, said as Parsed | Written));
  started.on('error', (error) => lose(parser, started, error));
  started.on('exit', () => lose(parser, started));
  return started;
}

function ask(parser: Parser, waits: Waiting, question: Question, transferred: ArrayBuffer[]): void {
  parser.waiting.set(question.id, waits);
  parser.thread ??= attachThread(parser);
  parser.thread.postMessage(question, transferred);
}

/** Bytes that can be moved: in a buffer that holds nothing else. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  // Only small buffers share memory; a large one may have spare bytes at its end.
  const alone = buffer instanceof ArrayBuffer && bytes.byteOffset === 0;
  return alone ? new Uint8Array(buffer, 0, bytes.byteLength) : new Uint8Array(bytes);
}

export function startThread(): ParsingThread {
  const thread = new Worker(join(__dirname, `thread${extname(__filename)}`), {
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
    // The parser thread does not need the process's own options.
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: {},
  });
  // The thread does not keep an idle process alive.
  thread.unref();
  return thread;
}
