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

/** A thread that has parsed a document of this size is ended, to release its memory. */
const RETIRED_FROM_BYTES = 8 * 1024 * 1024;
const unused = (): void => undefined;

export function createJsonParser({ log, long, start = startThread }: JsonParserDeps): JsonParser {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let thread: ParsingThread | undefined;
  /** The thread has parsed a very large document. */
  let retireAfter = false;

  const parseHere = (bytes: Buffer): JsonDocument => {
    const text = bytes.toString('utf8');
    try {
      return { value: long.parse(text), bytes };
    } catch (error) {
      if (error instanceof RangeError) throw new JsonTooLarge(TOO_MANY_LONG);
      throw new JsonSyntax(syntaxPlace(text, error), text.trim() === '');
    }
  };

  const answer = (said: Parsed | Written): void => {
    const question = waiting.get(said.id);
    if (!question) return;
    waiting.delete(said.id);
    const moved = 'written' in said ? said.written : said.bytes;
    const bytes = Buffer.from(moved.buffer, 0, moved.byteLength);
    retireAfter ||= moved.byteLength > RETIRED_FROM_BYTES;
    if (retireAfter && waiting.size === 0) retire();
    if ('written' in said) question.written(bytes);
    else question.parsed(said);
  };

  // The idle thread ends; the next document starts another.
  const retire = (): void => {
    const retired = thread;
    thread = undefined;
    retireAfter = false;
    retired
      ?.terminate()
      .catch((error: unknown) => log.error('worker thread did not end', { error }));
  };

  const documentOf = (parsed: Parsed): JsonDocument => {
    if ('excess' in parsed) throw new JsonTooLarge(parsed.excess);
    if ('syntax' in parsed) throw new JsonSyntax(parsed.syntax, parsed.empty);
    const bytes = Buffer.from(parsed.bytes.buffer, 0, parsed.bytes.byteLength);
    return parsed.marked
      ? { value: long.restore(parsed.value), bytes }
      : { value: parsed.value, bytes, offLoop: true };
  };

  const lose = (lost: ParsingThread, error?: unknown): void => {
    if (thread !== lost) return;
    thread = undefined;
    if (error !== undefined) log.error('parser thread failed', { error });
    const failed = new ParserFailed('the parser thread ended');
    for (const { reject } of waiting.values()) reject(failed);
    waiting.clear();
  };

  const attachThread = (): ParsingThread => {
    const started = start();
    started.on('message', (said) => answer(said as Parsed | Written));
    started.on('error', (error) => lose(started, error));
    started.on('exit', () => lose(started));
    return started;
  };

  const ask = (waits: Waiting, question: Question, transferred: ArrayBuffer[]): void => {
    waiting.set(question.id, waits);
    thread ??= attachThread();
    thread.postMessage(question, transferred);
  };

  const parseThere = (
    bytes: Buffer,
    { limits, countsOnly = false, dropBytes = false }: ParseOptions,
  ) =>
    new Promise<Parsed>((parsed, reject) => {
      const own = ownBytes(bytes);
      const asks = { limits, countsOnly, dropBytes, longMark: long.mark };
      retireAfter ||= own.length > RETIRED_FROM_BYTES;
      ask({ parsed, written: unused, reject }, { id: asked++, bytes: own, ...asks }, [own.buffer]);
    }).then(documentOf);

  const write: JsonParser['write'] = (value) =>
    new Promise((written, reject) => {
      const id = asked++;
      try {
        ask({ parsed: unused, written, reject }, { id, write: value }, []);
      } catch (error) {
        // Long numbers, as in arguments of tool calls, cannot be cloned to a thread.
        if (!(error instanceof DOMException)) throw error;
        waiting.delete(id);
        written(Buffer.from(JSON.stringify(value)));
      }
    });

  return {
    parse: (bytes, options) => {
      if (bytes.length > OFF_LOOP_FROM_BYTES) return parseThere(bytes, options);
      const excess = findExcess(bytes, options.limits);
      if (excess) throw new JsonTooLarge(excess);
      return parseHere(bytes);
    },
    write,
    stop: async () => {
      const running = thread;
      if (!running) return;
      lose(running);
      await running.terminate();
    },
  };
}

/** Bytes that can be moved: in a buffer that holds nothing else. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  // Only small buffers share memory; a large one may have spare bytes at its end.
  const alone = buffer instanceof ArrayBuffer && bytes.byteOffset === 0;
  return alone ? new Uint8Array(buffer, 0, bytes.byteLength) : new Uint8Array(bytes);
}

function startThread(): ParsingThread {
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
