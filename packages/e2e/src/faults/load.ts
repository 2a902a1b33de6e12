import { Agent, request } from 'undici';

import { pause } from './pause';
import type { Random } from './random';

// Callers in closed loops until they are stopped, as applications are: streams and unary answers,
// some of them aborted.

export interface Answer {
  /** 0 if the connection was lost before a status. */
  readonly status: number;
  /** The gateway's request id; empty without headers. */
  readonly requestId: string;
  /** The answer is complete, with the terminal event of its format. */
  readonly complete: boolean;
  /** The caller disconnected. */
  readonly givenUp: boolean;
  readonly ms: number;
  /** The send time by the monotonic clock. */
  readonly atMs?: number;
  /** The model that answered; empty without an answer. */
  readonly model?: string;
  /** The code of an error, from the gateway's table. */
  readonly code?: string;
}

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly key: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly callers: number;
  /** The maximum number of requests per caller; absent: until stopped. */
  readonly each?: number;
  /** The shares of streamed requests, and of aborted ones. */
  readonly streamed: number;
  readonly givenUp: number;
  readonly random: Random;
}

export interface Load {
  readonly answers: readonly Answer[];
  readonly callers: number;
  /** The number of answers with status 200 that have started. */
  readonly begun: () => number;
  /** Resolves after `count` more answers with status 200. */
  readonly served: (count: number) => Promise<void>;
  readonly stop: () => Promise<readonly Answer[]>;
  /** Resolves when every caller has sent its number of requests. */
  readonly finished: Promise<readonly Answer[]>;
}

// An application's backoff after a retryable refusal.
const BACK_OFF_MS = 50;
const SERVED_WITHIN_MS = 60_000;
const GIVE_UP_AFTER_MS = 30_000;

export function startLoad(options: LoadOptions): Load {
  const agent = new Agent({ connections: options.callers, pipelining: 1 });
  const answers: Answer[] = [];
  const waiting = new Set<() => void>();
  const over = new AbortController();
  let begun = 0;
  const onBegun = (): void => {
    begun += 1;
  };

  const call = async (caller: number): Promise<void> => {
    // As behind a load balancer: after a lost or refused connection the next request goes to
    // another edge.
    let edge = caller;
    for (
      let n = 0;
      !over.signal.aborted && n < (options.each ?? Number.POSITIVE_INFINITY);
      n += 1
    ) {
      const answer = await ask(options, agent, edge, onBegun);
      if (answer.status === 0) edge += 1;
      answers.push(answer);
      for (const look of waiting) look();
      if (answer.status !== 200 && options.each === undefined) await pause(BACK_OFF_MS);
    }
  };

  const finished = Promise.all(Array.from({ length: options.callers }, (_, n) => call(n))).then(
    async () => {
      await agent.destroy();
      return answers;
    },
  );

  return {
    answers,
    callers: options.callers,
    begun: () => begun,
    served: (count) => untilServed(answers, waiting, count),
    finished,
    stop: () => {
      over.abort();
      return finished;
    },
  };
}

async function ask(
  options: LoadOptions,
  agent: Agent,
  edge: number,
  onBegun: () => void,
): Promise<Answer> {
  const started = performance.now();
  const stream = options.random.next() < options.streamed;
  const leaves = options.random.next() < options.givenUp;
  const seen = { status: 0, requestId: '', complete: false, model: '', code: '' };
  try {
    const url = `${options.urls[edge % options.urls.length] ?? ''}/v1/chat/completions`;
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' },
      headersTimeout: GIVE_UP_AFTER_MS,
      bodyTimeout: GIVE_UP_AFTER_MS,
      body: JSON.stringify({
        model: options.model,
        max_tokens: options.maxTokens,
        messages: [{ role: 'user', content: 'Hello there' }],
        stream,
      }),
    });
    seen.status = answer.statusCode;
    if (seen.status === 200) onBegun();
    seen.requestId = String(answer.headers['x-tollgate-request-id'] ?? '');
    seen.model = String(answer.headers['x-tollgate-model'] ?? '');
    let text = '';
    for await (const piece of answer.body) {
      text += String(piece);
      if (leaves && seen.status === 200) break;
    }
    if (seen.status !== 200) seen.code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    seen.complete = !leaves && (!stream || text.endsWith('data: [DONE]\n\n'));
  } catch {
    // The connection was lost: `seen` has the data until then.
  }
  return { ...seen, givenUp: leaves, ms: performance.now() - started, atMs: started };
}

/** Resolves when `count` more answers are good. `waiting` holds what looks after each answer. */
function untilServed(
  answers: readonly Answer[],
  waiting: Set<() => void>,
  count: number,
): Promise<void> {
  const good = (): number => answers.filter(({ status }) => status === 200).length;
  const enough = good() + count;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      waiting.delete(look);
      settle();
    };
    const look = (): void => {
      if (good() >= enough) end(resolve);
    };
    const timer = setTimeout(() => {
      const last = answers.slice(-5).map(({ status }) => status);
      const said = `${String(good())} of ${String(enough)} served, then ${last.join(' ')}`;
      end(() => reject(new Error(said)));
    }, SERVED_WITHIN_MS);
    waiting.add(look);
    look();
  });
}
