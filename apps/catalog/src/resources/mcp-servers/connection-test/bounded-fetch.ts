import { Readable } from 'node:stream';
import { RUNNER_REFUSAL_HEADER } from '@tollgate/contracts';
import { request, type Dispatcher } from 'undici';

/** `fetch` for a connection test: no redirects, compression or event streams; limits on time and bytes. */

export interface BoundedFetchOptions {
  readonly dispatcher: Dispatcher;
  /** Set on every request, over the caller's own. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the whole test. */
  readonly signal: AbortSignal;
  /** For all answers together. */
  readonly limitBytes: number;
}

export type Problem =
  | { readonly kind: 'failed'; readonly error: unknown }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly text: string;
      /** What the header of the runner's own refusals says; null without it. */
      readonly runnerRefusal: string | null;
    };

export interface BoundedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** The last request that got no answer or an error for one; a later success clears it. */
  readonly problem: () => Problem | undefined;
}

/** Node types its own web streams apart from those of `Response`. */
type ResponseBody = ConstructorParameters<typeof Response>[0];

/** An answer that a test does not read. */
class Unreadable extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

export function createBoundedFetch(options: BoundedFetchOptions): BoundedFetch {
  let problem: Problem | undefined;
  let leftBytes = options.limitBytes;

  async function* counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of body) {
        leftBytes -= chunk.length;
        if (leftBytes < 0) throw new Unreadable('too many bytes', 'UND_ERR_RES_EXCEEDED_MAX_SIZE');
        yield chunk;
      }
    } catch (error) {
      problem = { kind: 'failed', error };
      throw error;
    }
  }

  async function send(url: string | URL, init: RequestInit): Promise<Response> {
    const answer = await request(url, {
      dispatcher: options.dispatcher,
      method: init.method ?? 'GET',
      headers: { ...headersOf(init), 'accept-encoding': 'identity', ...options.headers },
      body: textOf(init.body),
      signal: init.signal ? AbortSignal.any([options.signal, init.signal]) : options.signal,
    });
    const { statusCode: status } = answer;
    const headers = responseHeaders(answer.headers);
    if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
      answer.body.destroy();
      throw new Unreadable('compressed although that was not offered', 'COMPRESSED');
    }
    if (status < 200 || status >= 300) {
      const chunks: Buffer[] = [];
      for await (const chunk of counted(answer.body)) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      const runnerRefusal = headers.get(RUNNER_REFUSAL_HEADER);
      problem = { kind: 'refused', status, text, runnerRefusal };
      // Shown as an error whatever it is: nothing may follow a redirect.
      return new Response(text, { status: status < 400 ? 502 : status, headers });
    }
    problem = undefined;
    if (status === 204 || status === 205) return new Response(null, { status, headers });
    const body = Readable.toWeb(Readable.from(counted(answer.body), { objectMode: false }));
    return new Response(body as ResponseBody, { status, headers });
  }

  return {
    problem: () => problem,
    fetch: async (url, init = {}) => {
      // A test needs no stream of notifications; 405 says that there is none.
      if ((init.method ?? 'GET') === 'GET') return new Response(null, { status: 405 });
      try {
        return await send(url, init);
      } catch (error) {
        problem = { kind: 'failed', error };
        throw error;
      }
    },
  };
}

function headersOf(init: RequestInit): Record<string, string> {
  return Object.fromEntries(new Headers(init.headers));
}

function textOf(body: RequestInit['body']): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('a test sends text only');
}

function responseHeaders(headers: Record<string, string | string[] | undefined>): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) result.append(name, each);
    }
  }
  return result;
}
