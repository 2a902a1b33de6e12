import { Agent, request } from 'undici';

import { pause } from './pause';
import type { Random } from './random';

// Callers that ask one after another until they are told to stop, as applications do: streams and
// plain answers, some of which are given up in the middle.

export interface Answer {
  /** 0: the connection was lost before there was a status. */
  readonly status: number;
  /** Of the gateway; empty where no headers came. */
  readonly requestId: string;
  /** The whole answer came, with the end that its format has. */
  readonly complete: boolean;
  /** The caller itself went away. */
  readonly givenUp: boolean;
  readonly ms: number;
  /** When it was sent, by the monotonic clock. */
  readonly atMs?: number;
  /** Which model answered; empty where none did. */
  readonly model?: string;
  /** Of an error, by the gateway's table. */
  readonly code?: string;
}

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly key: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly callers: number;
  /** Each caller asks this often at most; absent: until stopped. */
  readonly each?: number;
  /** Shares of requests that are streamed, and of those that are given up midway. */
  readonly streamed: number;
  readonly givenUp: number;
  readonly random: Random;
}

export interface Load {
  readonly answers: readonly Answer[];
  readonly callers: number;
  /** How many answers of 200 have begun, ended or not. */
  readonly begun: () => number;
  /** Resolves when `count` more requests have been answered with 200. */
  readonly served: (count: number) => Promise<void>;
  readonly stop: () => Promise<readonly Answer[]>;
  /** When every caller has asked as often as it should. */
  readonly finished: Promise<readonly Answer[]>;
}

// What applications wait after a refusal that heals.
const BACK_OFF_MS = 50;
const SERVED_WITHIN_MS = 60_000;
const GIVE_UP_AFTER_MS = 30_000;

export function startLoad(options: LoadOptions): Load {
  const agent = new Agent({ connections: options.callers, pipelining: 1 });
  const answers: Answer[] = [];
  const waiting = new Set<() => void>();
  const over = new AbortController();
  let begun = 0;

  const ask = async (edge: number): Promise<Answer> => {
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
      if (seen.status === 200) begun += 1;
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
      // A connection that was lost: what it had brought until then is in `seen`.
    }
    return { ...seen, givenUp: leaves, ms: performance.now() - started, atMs: started };
  };

  const call = async (caller: number): Promise<void> => {
    // As behind a load balancer: after a connection that is refused or lost, another edge is asked.
    let edge = caller;
    for (
      let n = 0;
      !over.signal.aborted && n < (options.each ?? Number.POSITIVE_INFINITY);
      n += 1
    ) {
      const answer = await ask(edge);
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

  const good = (): number => answers.filter(({ status }) => status === 200).length;
  const served = (count: number): Promise<void> => {
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
  };

  return {
    answers,
    callers: options.callers,
    begun: () => begun,
    served,
    finished,
    stop: () => {
      over.abort();
      return finished;
    },
  };
}
