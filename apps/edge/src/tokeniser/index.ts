// Counts text by a real tokeniser, for answers that nobody else has counted. Nothing is loaded before
// the first such text; from then on one thread does the work.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@tollgate/kit';
import { boundedPieces } from './pieces';

/** Texts that may wait to be counted, in UTF-16 characters; what comes beyond is not counted. */
const WAITING_CHARACTERS = 32 * 1024 * 1024;
/** How long a count may take, waiting included, before its answer goes on without it. */
const DEADLINE_MS = 10_000;
const WORKER_MEMORY_MB = 256;

export type TokenCounter = {
  /**
   * The tokens of all the texts in o200k, each counted by itself. Undefined: there is too much to do,
   * or the tokeniser has failed.
   */
  count: (texts: readonly string[]) => Promise<number | undefined>;
  stop: () => Promise<void>;
};

/** What `worker.ts` answers. */
export type Counted = { id: number; tokens: number };

/** The thread that counts, as far as it is used. */
export type CountingThread = {
  on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => unknown;
  postMessage: (question: { id: number; pieces: readonly string[] }, transferred: []) => void;
  terminate: () => Promise<unknown>;
};

export type TokenCounterOptions = {
  waitingCharacters?: number;
  deadlineMs?: number;
  start?: () => CountingThread;
};

type Waiting = { characters: number; answer: (tokens: number | undefined) => void };

export function createTokenCounter(
  log: Pick<Logger, 'error'>,
  options: TokenCounterOptions = {},
): TokenCounter {
  const { waitingCharacters = WAITING_CHARACTERS, deadlineMs = DEADLINE_MS } = options;
  const { start = startThread } = options;
  const waiting = new Map<number, Waiting>();
  let characters = 0;
  let asked = 0;
  let worker: CountingThread | undefined;

  function answer(id: number, tokens: number | undefined): void {
    const question = waiting.get(id);
    if (!question) return;
    waiting.delete(id);
    characters -= question.characters;
    question.answer(tokens);
  }

  function lose(lost: CountingThread, error?: unknown): void {
    if (worker !== lost) return;
    worker = undefined;
    if (error !== undefined) log.error('the tokeniser has failed', { error });
    for (const id of waiting.keys()) answer(id, undefined);
  }

  function attachThread(): CountingThread {
    const started = start();
    started.on('message', (said) => {
      const { id, tokens } = said as Counted;
      answer(id, tokens);
    });
    started.on('error', (error) => lose(started, error));
    started.on('exit', () => lose(started));
    return started;
  }

  return {
    count: (texts) =>
      new Promise((resolve) => {
        const size = texts.reduce((sum, text) => sum + text.length, 0);
        if (size === 0) return resolve(0);
        if (characters + size > waitingCharacters) return resolve(undefined);
        const id = asked++;
        const timer = setTimeout(() => answer(id, undefined), deadlineMs);
        characters += size;
        waiting.set(id, {
          characters: size,
          answer: (tokens) => {
            clearTimeout(timer);
            resolve(tokens);
          },
        });
        worker ??= attachThread();
        worker.postMessage({ id, pieces: texts.flatMap(boundedPieces) }, []);
      }),
    stop: async () => {
      const running = worker;
      if (!running) return;
      lose(running);
      await running.terminate();
    },
  };
}

function startThread(): Worker {
  const thread = new Worker(join(__dirname, `worker${extname(__filename)}`), {
    resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB },
    // What the process was started with is not for a thread that only counts.
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: {},
  });
  // It does not keep a process alive that has nothing else to do.
  thread.unref();
  return thread;
}
