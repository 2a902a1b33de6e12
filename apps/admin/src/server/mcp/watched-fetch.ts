import { z } from 'zod';

// The requests of one exchange with an MCP server: bounded, and with what the official client does not
// pass on, such as the gateway's refusal and the request id.

/** A refusal is small. A longer one is cut and then has no known form. */
const REFUSAL_LIMIT_BYTES = 64 * 1024;

export interface Refusal {
  readonly status: number;
  readonly requestId: string | null;
  /** The gateway's code; undefined: the answer has another form. */
  readonly code: string | undefined;
  readonly message: string;
  readonly rpcCode: number | null;
}

/** What was seen of the last JSON-RPC request. */
export interface Seen {
  requestId: string | null;
  costUsd: string | null;
  /** The last request was refused with an HTTP status. */
  refusal: Refusal | undefined;
  tooLarge: boolean;
  unreachable: boolean;
}

export interface WatchedFetch {
  readonly seen: Seen;
  readonly fetch: typeof fetch;
  /** Aborts once an answer is too large. */
  readonly signal: AbortSignal;
}

/** `limitBytes` bounds all answers together. */
export function createWatchedFetch(inner: typeof fetch, limitBytes: number): WatchedFetch {
  const stop = new AbortController();
  const seen: Seen = {
    requestId: null,
    costUsd: null,
    refusal: undefined,
    tooLarge: false,
    unreachable: false,
  };
  let received = 0;

  const bounded = (body: ReadableStream<Uint8Array<ArrayBuffer>>) =>
    body.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform: (chunk, controller) => {
          received += chunk.byteLength;
          if (received <= limitBytes) return controller.enqueue(chunk);
          seen.tooLarge = true;
          stop.abort();
          controller.error(new RangeError('the answer is too large'));
        },
      }),
    );

  const watched: typeof fetch = async (url, init) => {
    const response = await reached(inner(url, init));
    const { status, headers } = response;
    // Only requests are posted with an id. The event stream and the end of a session do not matter here.
    if (init?.method === 'POST' && isRequest(init.body)) {
      seen.requestId = headers.get('x-request-id');
      seen.costUsd = headers.get('x-tollgate-cost-usd');
      seen.refusal = undefined;
      if (!response.ok) {
        const text = await shortText(response);
        seen.refusal = refusalIn(status, seen.requestId, text);
        return new Response(text, { status, headers });
      }
    }
    const body = response.body === null ? null : bounded(response.body);
    return new Response(body, { status, headers });
  };

  const reached = async (answer: Promise<Response>): Promise<Response> => {
    try {
      return await answer;
    } catch (error) {
      seen.unreachable = true;
      throw error;
    }
  };
  return { seen, fetch: watched, signal: stop.signal };
}

const request = z.object({ method: z.string(), id: z.union([z.string(), z.number()]) });

function isRequest(body: unknown): boolean {
  return typeof body === 'string' && request.safeParse(jsonOf(body)).success;
}

async function shortText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body) {
    length += part.byteLength;
    // Leaving the loop cancels the rest.
    if (length > REFUSAL_LIMIT_BYTES) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const rpcRefusal = z.object({
  error: z.object({
    code: z.number(),
    message: z.string(),
    data: z.object({ code: z.string().optional() }).optional().catch(undefined),
  }),
});

function refusalIn(status: number, requestId: string | null, text: string): Refusal {
  const parsed = rpcRefusal.safeParse(jsonOf(text));
  if (!parsed.success) {
    const message = `The gateway answered with HTTP status ${String(status)}.`;
    return { status, requestId, code: undefined, message, rpcCode: null };
  }
  const { code: rpcCode, message, data } = parsed.data.error;
  return { status, requestId, code: data?.code, message, rpcCode };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON; the schemas refuse it.
    return undefined;
  }
}
