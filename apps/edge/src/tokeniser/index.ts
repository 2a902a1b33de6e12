// Counts text with a real tokeniser, for answers without reported usage. It is loaded for the first
// such text, in one worker thread.

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from '@tollgate/kit';

import { boundedPieces } from './pieces';

/** Limit of text that waits to be counted, in UTF-16 characters; text beyond it is not counted. */
const WAITING_CHARACTERS = 32 * 1024 * 1024;
/** Limit of a count, including the wait, before the answer proceeds without it. */
const DEADLINE_MS = 10_000;
const WORKER_MEMORY_MB = 256;

export interface TokenCounter {
  /**
   * The o200k tokens of all texts, each counted separately. Undefined: there is too much to count,
   * or the tokeniser failed.
   */
  count: (texts: readonly string[]) => Promise<number | undefined>;
  stop: () => Promise<void>;
}

/** The answer of `worker.ts`. */
export interface Counted {
  id: number;
  tokens: number;
}

/** The counting thread, as far as it is used. */
export interface CountingThread {
  on: (event: 'message' | 'error' | 'exit', listener: (value: unknown) => void) => unknown;
  postMessage: (question: { id: number; pieces: readonly string[] }, transferred: []) => void;
  terminate: () => Promise<unknown>;
}

export interface TokenCounterOptions {
  waitingCharacters?: number;
  deadlineMs?: number;
  start?: () => CountingThread;
}

interface Waiting {
  characters: number;
  answer: (tokens: number | undefined) => void;
}

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
    if (error !== undefined) log.error('tokeniser failed', { error });
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
    // The counting thread does not need the process's own options.
    execArgv: ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    env: {},
  });
  // The thread does not keep an idle process alive.
  thread.unref();
  return thread;
}
