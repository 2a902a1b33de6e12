// Parses documents from outside: within limits that are checked before anything is built, and off the event
// loop when they are large.

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
import type { Parsed, Question } from './thread';

export type JsonParser = {
  /**
   * The document's value and its bytes, at once for small documents. The bytes given are not to be used
   * afterwards: those of a large document have moved to the thread and come back as others.
   * @throws JsonTooLarge, JsonSyntax, ParserFailed; a promise rejects with them
   */
  parse: (bytes: Buffer, options: ParseOptions) => JsonDocument | Promise<JsonDocument>;
  stop: () => Promise<void>;
};

export type ParseOptions = {
  limits: JsonLimits;
  /** Only counts will be read: a large document comes without its long texts and lists of numbers. */
  countsOnly?: boolean;
};

export type JsonDocument = { value: unknown; bytes: Buffer };

/** The document passes a limit. */
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

/** The thread ended before it had answered. */
export class ParserFailed extends Error {
  override readonly name = 'ParserFailed';
}

/** The thread that parses, as far as it is used. */
export type ParsingThread = {
  on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => unknown;
  postMessage: (question: Question, transferred: ArrayBuffer[]) => void;
  terminate: () => Promise<unknown>;
};

/** How whole numbers are kept that a number cannot hold. */
export type LongNumbers = {
  /** @throws SyntaxError, RangeError when there are too many */
  parse: (text: string) => unknown;
  /** Before their digits, where a text was marked. */
  mark: string;
  /** Puts them back into a value whose text was marked. */
  restore: (value: unknown) => unknown;
};

export type JsonParserDeps = {
  log: Pick<Logger, 'error'>;
  /** Long numbers keep their digits. */
  long: LongNumbers;
  start?: () => ParsingThread;
};

const TOO_MANY_LONG: JsonExcess = { limit: 'longNumbers', most: LONG_NUMBERS_MOST, field: '' };

/** Several times what the largest document within the limits takes. */
const THREAD_MEMORY_MB = 512;

type Waiting = { resolve: (document: JsonDocument) => void; reject: (error: Error) => void };

export function createJsonParser({ log, long, start = startThread }: JsonParserDeps): JsonParser {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let thread: ParsingThread | undefined;

  const parseHere = (bytes: Buffer): JsonDocument => {
    const text = bytes.toString('utf8');
    try {
      return { value: long.parse(text), bytes };
    } catch (error) {
      if (error instanceof RangeError) throw new JsonTooLarge(TOO_MANY_LONG);
      throw new JsonSyntax(syntaxPlace(text, error), text.trim() === '');
    }
  };

  const answer = (parsed: Parsed): void => {
    const question = waiting.get(parsed.id);
    if (!question) return;
    waiting.delete(parsed.id);
    const bytes = Buffer.from(parsed.bytes.buffer, 0, parsed.bytes.byteLength);
    if ('value' in parsed) {
      const value = parsed.marked ? long.restore(parsed.value) : parsed.value;
      question.resolve({ value, bytes });
    } else if ('excess' in parsed) question.reject(new JsonTooLarge(parsed.excess));
    else question.reject(new JsonSyntax(parsed.syntax, parsed.empty));
  };

  const lose = (lost: ParsingThread, error?: unknown): void => {
    if (thread !== lost) return;
    thread = undefined;
    if (error !== undefined) log.error('the parser thread has failed', { error });
    const failed = new ParserFailed('the parser thread has ended');
    for (const { reject } of waiting.values()) reject(failed);
    waiting.clear();
  };

  const begin = (): ParsingThread => {
    const started = start();
    started.on('message', (parsed) => answer(parsed as Parsed));
    started.on('error', (error) => lose(started, error));
    started.on('exit', () => lose(started));
    return started;
  };

  const parseThere = (bytes: Buffer, { limits, countsOnly = false }: ParseOptions) =>
    new Promise<JsonDocument>((resolve, reject) => {
      const id = asked++;
      waiting.set(id, { resolve, reject });
      thread ??= begin();
      const own = ownBytes(bytes);
      const question = { id, bytes: own, limits, countsOnly, longMark: long.mark };
      thread.postMessage(question, [own.buffer]);
    });

  return {
    parse: (bytes, options) => {
      if (bytes.length > OFF_LOOP_FROM_BYTES) return parseThere(bytes, options);
      const excess = findExcess(bytes, options.limits);
      if (excess) throw new JsonTooLarge(excess);
      return parseHere(bytes);
    },
    stop: async () => {
      const running = thread;
      if (!running) return;
      lose(running);
      await running.terminate();
    },
  };
}

/** Bytes that can be moved: a memory of their own, with nothing else in it. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const alone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return alone ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

function startThread(): ParsingThread {
  const thread = new Worker(join(__dirname, `thread${extname(__filename)}`), {
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
    // What the process was started with is not for a thread that only parses.
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: {},
  });
  // It does not keep a process alive that has nothing else to do.
  thread.unref();
  return thread;
}
